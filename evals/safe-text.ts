/** Makes texts of targets and agents safe to store, and to show: in a terminal, in Markdown and on one line. */

/** Postgres accepts neither NUL nor lone surrogates. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

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

/** One line in which nothing is Markdown, inline HTML or a control code of a terminal. */
export function escapeMarkdown(text: string): string {
  return showControlCharacters(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\`*_{}[\]<>()#+!|~@&$]/g, '\\$&');
}

/** A code block whose fence is longer than any run of backticks in `text`. */
export function fenced(text: string): string {
  const safe = showControlCharacters(text);
  const runs = safe.match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(runs.reduce((length, run) => Math.max(length, run.length), 2) + 1);
  return `${fence}text\n${safe}\n${fence}`;
}

/** The first `head` and the last `tail` characters, of which either may be 0: subjects tend to come first, questions last. */
export function shorten(text: string, head: number, tail: number): string {
  if (text.length <= head + tail) return text;
  const left = text.length - head - tail;
  return `${text.slice(0, head)}\n[… ${left} characters …]\n${text.slice(text.length - tail)}`
    .trimEnd()
    .toWellFormed();
}

/** The first entries of a list, such as `a, b and 3 more`. */
export function someOf(names: readonly string[], max: number): string {
  const more = names.length > max ? ` and ${names.length - max} more` : '';
  return `${names.slice(0, max).join(', ')}${more}`;
}

/** In milliseconds below a second, else in seconds. */
export function showTime(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

const shownCharacters = 160;

/** One line without control characters, of limited length. */
export function oneLine(text: string, charactersMax: number = shownCharacters): string {
  const characters = Array.from(
    text
      .slice(0, 20 * charactersMax)
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '\uFFFD')
      .trim(),
  );
  if (characters.length <= charactersMax) return characters.join('');
  return `${characters.slice(0, charactersMax).join('')}…`;
}
