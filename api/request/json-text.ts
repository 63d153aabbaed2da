/**
 * Scans JSON text for what `JSON.parse` accepts and the hub rejects: excessive nesting, duplicate names in an
 * object, NUL and lone surrogates.
 */

export type JsonTextError =
  | { readonly kind: 'too_deep' }
  /** NUL or a lone surrogate in the value of a field such as `owner.bio`, or in a field name (then null). */
  | { readonly kind: 'bad_character'; readonly field: string | null }
  | { readonly kind: 'repeated_name'; readonly name: string };

/** An object or array that is still open. */
interface Level {
  /** The names seen so far; null in an array. */
  readonly names: Set<string> | null;
  /** The name of the current value. */
  field: string;
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const blanks = ['\t', '\n', '\r', ' '];

/**
 * Returns the first error in a text that is valid JSON. Duplicate names are ambiguous: `JSON.parse` keeps the
 * last value, other parsers the first.
 * @param depthMax the maximum nesting of objects and arrays
 */
export function findJsonTextError(text: string, depthMax: number): JsonTextError | null {
  const levels: Level[] = [];
  let content = '';
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case quote: {
        const end = endOfString(text, index);
        content = text.slice(index + 1, end);
        if (content.includes('\\')) content = unescape(content);
        if (content.includes('\0') || !content.isWellFormed()) {
          return { kind: 'bad_character', field: isName(text, end + 1) ? null : fieldOf(levels) };
        }
        index = end;
        break;
      }
      case colon: {
        const level = levels.at(-1);
        if (level?.names?.has(content) === true) return { kind: 'repeated_name', name: content };
        level?.names?.add(content);
        if (level !== undefined) level.field = content;
        break;
      }
      case openBrace:
      case openBracket:
        if (levels.length >= depthMax) return { kind: 'too_deep' };
        levels.push({ names: text.charCodeAt(index) === openBrace ? new Set() : null, field: '' });
        break;
      case closeBrace:
      case closeBracket:
        levels.pop();
        break;
    }
  }
  return null;
}

/** Whether the string that ends here is a field name. */
function isName(text: string, from: number): boolean {
  let index = from;
  while (blanks.includes(text.charAt(index))) index += 1;
  return text.charCodeAt(index) === colon;
}

function fieldOf(levels: readonly Level[]): string {
  return levels
    .filter(({ names }) => names !== null)
    .map(({ field }) => field)
    .join('.');
}

function unescape(escaped: string): string {
  return String(JSON.parse(`"${escaped}"`));
}

/** The index of the closing quote of the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text.charCodeAt(index) !== quote) {
    index += text.charCodeAt(index) === backslash ? 2 : 1;
  }
  return index;
}
