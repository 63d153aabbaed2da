/** Makes texts of targets and agents safe to store, and to show: in a terminal, in Markdown and on one line; and writes some. */

/** Postgres accepts neither NUL nor lone surrogates. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** Characters that control, order or hide text. Tab, line feed and carriage return do not count. */
const control = /[[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]--[\t\n\r]]/v;
const controls = new RegExp(control, 'gv');

export function isControlCharacter(character: string): boolean {
  return control.test(character);
}

/**
 * `text` with each control character replaced by its code, such as `[U+001B]`, and each lone surrogate by
 * U+FFFD.
 */
export function showControlCharacters(text: string): string {
  return text.toWellFormed().replaceAll(/\r\n?/g, '\n').replaceAll(controls, nameOfCharacter);
}

/** At most all that are shown by their code; a hostile text may have the same one a million times. */
const names = new Map<string, string>();

/** Such as `[U+001B]`. */
export function nameOfCharacter(character: string): string {
  const known = names.get(character);
  if (known !== undefined) return known;
  const name = `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;
  names.set(character, name);
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

/** With a capital at its beginning. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
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
