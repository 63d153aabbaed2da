/** Counts sentences, words and paragraphs by the rules that the prompts state, each in one pass. */

const closers = new Set(['"', "'", '”', '’', ')', ']', '*', '_', '»']);

/**
 * A sentence ends with a full stop, an exclamation mark or a question mark, followed by white space or the
 * end.
 */
export function countSentences(text: string): number {
  let count = 0;
  for (let position = 0; position < text.length; position += 1) {
    if (!isTerminator(text.charAt(position))) continue;
    let next = position + 1;
    while (next < text.length && closers.has(text.charAt(next))) next += 1;
    if (next === text.length || isSpace(text, next)) count += 1;
    position = next - 1;
  }
  return count;
}

function isTerminator(character: string): boolean {
  return character === '.' || character === '!' || character === '?';
}

/**
 * As `\s` in a pattern. The character code decides for ASCII letters and digits, which are nearly all of a
 * text.
 */
function isSpace(text: string, position: number): boolean {
  const code = text.charCodeAt(position);
  return code > 0x20 && code < 0x7f ? false : /\s/.test(text.charAt(position));
}

/** Words are separated by white space. */
export function countWords(text: string): number {
  let count = 0;
  let inWord = false;
  for (let position = 0; position < text.length; position += 1) {
    const space = isSpace(text, position);
    if (!space && !inWord) count += 1;
    inWord = !space;
  }
  return count;
}

/** Paragraphs are separated by blank lines. */
export function splitParagraphs(text: string): string[] {
  const paragraphs: string[] = [];
  let current: string[] = [];
  for (const line of [...text.split('\n'), '']) {
    if (line.trim() !== '') current.push(line);
    else if (current.length > 0) {
      paragraphs.push(current.join('\n'));
      current = [];
    }
  }
  return paragraphs;
}
