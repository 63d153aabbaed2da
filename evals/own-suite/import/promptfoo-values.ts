/** Reads the values of promptfoo's assertions as promptfoo does. */
import { maxExpressionCharacters } from '../limits.ts';
import { textsOf } from './imported.ts';

/** A text of several values is separated by commas, and lists may have truth values too. */
export function textsIn(value: unknown): readonly string[] | null {
  if (Array.isArray(value)) return textsOf(value.map((one: unknown) => (one === !!one ? String(one) : one)));
  return typeof value === 'string' ? textsOf(splitTexts(value)) : textsOf(value);
}

/** A part in double quotes may have commas, and quotes that are doubled or follow a backslash. None if promptfoo fails. */
function splitTexts(value: string): readonly string[] {
  const texts: string[] = [];
  let at = 0;
  const skip = (marks: RegExp) => {
    while (at < value.length && marks.test(value.charAt(at))) at += 1;
  };
  for (skip(/[\s,]/); at < value.length; skip(/[\s,]/)) {
    if (value[at] === '"') {
      const quoted = quotedAt(value, at);
      if (quoted === null) return [];
      texts.push(quoted.text);
      at = quoted.end;
      skip(/\s/);
      if (at < value.length && value[at] !== ',') return [];
    } else {
      const comma = value.indexOf(',', at);
      const end = comma === -1 ? value.length : comma;
      texts.push(value.slice(at, end).trim());
      at = end;
    }
  }
  return texts;
}

/** The text of the quotes that begin here, and where they have ended; null if they do not end. */
function quotedAt(value: string, start: number): { readonly text: string; readonly end: number } | null {
  const parts: string[] = [];
  for (let at = start + 1; at < value.length; at += 1) {
    const [mark, next] = [value.charAt(at), value.charAt(at + 1)];
    if (mark === '"' && next !== '"') return { text: parts.join(''), end: at + 1 };
    const isEscape = mark === '"' || (mark === '\\' && (next === '"' || next === '\\'));
    parts.push(isEscape ? next : mark);
    if (isEscape) at += 1;
  }
  return null;
}

/** An expression of JavaScript in RE2; null if it is none, or if it means something else there. */
export function expressionOf(source: string): string | null {
  try {
    RegExp(source);
  } catch {
    return null;
  }
  if (/(?<!\\)(?:\\\\)*\\[pPAzQ]/.test(source)) return null;
  const written = inRe2(source, true);
  // A long one does without the rarer spaces rather than be lost.
  return written.length > maxExpressionCharacters ? inRe2(source, false) : written;
}

function inRe2(source: string, hasAllSpaces: boolean): string {
  let isInClass = false;
  return source.replaceAll(/\[\\s\\S\]|\\(?:u([0-9a-fA-F]{4})|[^])|[[\]]/g, (all, code) => {
    if (code) return `\\x{${code}}`;
    if (all === '[' || all === ']') isInClass = all === '[';
    if (!hasAllSpaces) return all;
    if (all === '\\s') return isInClass ? spaces : `[${spaces}]`;
    if (all === '\\S') return isInClass ? others : `[^${spaces}]`;
    return all;
  });
}

/** What `\s` and `\S` of JavaScript are, in a class of RE2, whose own are of ASCII. */
const spaces = '\\s\\v\\x{feff}\\p{Z}';
const others =
  '!-\\x{9f}\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
