/**
 * Reads JSON from a reply within bounds. Depth and number of values are checked before parsing, so a hostile
 * document costs one pass over its text.
 */
import { maxJsonCharacters, maxJsonDepth, maxJsonValues } from '../../limits.ts';

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** A parsed document, or why there is none. `bare`: the reply contained nothing else. */
export type ReadJson =
  | { readonly ok: true; readonly value: JsonValue; readonly bare: boolean }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads the whole reply as JSON, or else the part from its first to its last bracket.
 * @param parse throws where the text is not JSON
 */
export function readJson(reply: string, parse: (text: string) => unknown = JSON.parse): ReadJson {
  const whole = reply.trim();
  const bare = parseBounded(whole, parse);
  if (bare.ok) return { ...bare, bare: true };
  const first = whole.search(/[{[]/);
  const last = Math.max(whole.lastIndexOf('}'), whole.lastIndexOf(']'));
  if (first < 0 || last < first) return bare;
  if (first === 0 && last === whole.length - 1) return bare;
  const inner = parseBounded(whole.slice(first, last + 1), parse);
  return inner.ok ? { ...inner, bare: false } : inner;
}

type Parsed =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly reason: string };

function parseBounded(text: string, parse: (text: string) => unknown): Parsed {
  if (text === '') return { ok: false, reason: 'an empty reply' };
  if (text.length > maxJsonCharacters)
    return { ok: false, reason: `more than ${maxJsonCharacters} characters` };
  const excess = findExcess(text);
  if (excess !== null) return { ok: false, reason: excess };
  try {
    // Parsers of JSON return exactly the values that JsonValue names.
    return { ok: true, value: parse(text) as JsonValue };
  } catch {
    return { ok: false, reason: 'text that is not valid JSON' };
  }
}

/**
 * Which bound `text` exceeds, or null. One pass that stops at the first excess: it counts open brackets, and
 * values by commas and by what follows an opening bracket. Strings are skipped.
 */
function findExcess(text: string): string | null {
  let depth = 0;
  let values = 1;
  let opened = false;
  for (let position = 0; position < text.length; position += 1) {
    const character = text.charAt(position);
    if (isJsonSpace(character)) continue;
    const closing = character === '}' || character === ']';
    if (character === ',' || (opened && !closing)) values += 1;
    opened = character === '{' || character === '[';
    if (opened) depth += 1;
    else if (closing) depth -= 1;
    else if (character === '"') position = endOfString(text, position);
    if (depth > maxJsonDepth) return `nesting deeper than ${maxJsonDepth} levels`;
    if (values > maxJsonValues) return `more than ${maxJsonValues} values`;
  }
  return null;
}

function isJsonSpace(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\t' || character === '\r';
}

/** Where the string that opens at `start` closes, or the end of the text. */
function endOfString(text: string, start: number): number {
  let position = start + 1;
  while (position < text.length && text.charAt(position) !== '"') {
    position += text.charAt(position) === '\\' ? 2 : 1;
  }
  return position;
}
