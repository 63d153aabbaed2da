/**
 * Characters that steer a terminal, turn the direction of text or hide in it. Scorecards show them by their code, and
 * one grader counts them as a fault.
 */

/** Whether the code point is invisible and does something; tab, line feed and carriage return are let by. */
export function isControlCharacter(codePoint: number): boolean {
  if (codePoint < 0x20) return codePoint !== 0x09 && codePoint !== 0x0a && codePoint !== 0x0d;
  return (
    (codePoint >= 0x7f && codePoint <= 0x9f) ||
    codePoint === 0x200e ||
    codePoint === 0x200f ||
    (codePoint >= 0x2028 && codePoint <= 0x202e) ||
    (codePoint >= 0x2066 && codePoint <= 0x2069) ||
    codePoint === 0xfeff ||
    (codePoint >= 0xe0000 && codePoint <= 0xe007f)
  );
}

/** `text` with every control character written out, such as `[U+001B]`, and lone surrogates replaced. */
export function showControlCharacters(text: string): string {
  let shown = '';
  for (const character of text.toWellFormed().replaceAll('\r\n', '\n').replaceAll('\r', '\n')) {
    const codePoint = character.codePointAt(0) ?? 0;
    shown += isControlCharacter(codePoint) ? nameOfCodePoint(codePoint) : character;
  }
  return shown;
}

/** `[U+001B]` and the like. */
export function nameOfCodePoint(codePoint: number): string {
  return `[U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}]`;
}
