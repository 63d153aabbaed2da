/**
 * Sanitizes text from strangers before it is stored: bounded, well-formed and without control characters.
 */
import { emailTextLengthMax } from './inbox-limits.ts';

const cutMark = '\n[The rest of this email was cut off.]';

/**
 * Returns one line without control characters.
 * @param lengthMax in code points
 */
export function sanitizeLine(text: string, lengthMax: number): string {
  return cut(
    text
      .slice(0, 2 * lengthMax + 2)
      .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
      .trim(),
    lengthMax,
    '…',
  );
}

/** Returns lines that end in a newline; tab is the only other control character kept. */
export function sanitizeBlock(text: string): string {
  const bounded = text.slice(0, 2 * emailTextLengthMax + 2).toWellFormed();
  const plain = bounded.replaceAll(/\r\n?/g, '\n').replaceAll(/[^\P{Cc}\n\t]/gu, '');
  return cut(plain.trimEnd(), emailTextLengthMax, cutMark);
}

function cut(text: string, lengthMax: number, mark: string): string {
  const wellFormed = text.toWellFormed();
  if (wellFormed.length <= lengthMax) return wellFormed;
  const characters = Array.from(wellFormed);
  if (characters.length <= lengthMax) return wellFormed;
  return characters.slice(0, lengthMax - Array.from(mark).length).join('') + mark;
}
