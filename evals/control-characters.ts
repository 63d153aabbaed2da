/** Characters that control a terminal, change the direction of text or hide in it. Reports show their codes. */

/** Tab, line feed and carriage return do not count. */
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

/**
 * `text` with each control character replaced by its code, such as `[U+001B]`, and each lone surrogate by
 * U+FFFD.
 */
export function showControlCharacters(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(suspects, (character) => {
      const codePoint = character.codePointAt(0) ?? 0;
      return isControlCharacter(codePoint) ? nameOfCodePoint(codePoint) : character;
    });
}

/** All control characters, and others that are rare. */
const suspects = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
const names = new Map<number, string>();

/** Such as `[U+001B]`. */
export function nameOfCodePoint(codePoint: number): string {
  const known = names.get(codePoint);
  if (known !== undefined) return known;
  const name = `[U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}]`;
  // At most the 1.1 million code points; in practice the few that hide or control text.
  names.set(codePoint, name);
  return name;
}
