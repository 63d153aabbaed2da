/**
 * Reads JSON out of a reply within bounds: depth is checked before parsing and the number of values after it, so
 * that a hostile document costs one pass over its text.
 */
import { maxJsonCharacters, maxJsonDepth, maxJsonValues } from '../limits.ts';

/** Any value that JSON can express. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** A parsed document, or why there is none. `bare` tells whether the reply held nothing else. */
export type ReadJson =
  | { readonly ok: true; readonly value: JsonValue; readonly bare: boolean }
  | { readonly ok: false; readonly reason: string };

/** Reads the whole reply as JSON or, failing that, what stands between its first and its last bracket. */
export function readJson(reply: string): ReadJson {
  const whole = reply.trim();
  const bare = parseBounded(whole);
  if (bare.ok) return { ...bare, bare: true };
  const first = whole.search(/[{[]/);
  const last = Math.max(whole.lastIndexOf('}'), whole.lastIndexOf(']'));
  if (first < 0 || last < first) return bare;
  const inner = parseBounded(whole.slice(first, last + 1));
  return inner.ok ? { ...inner, bare: false } : inner;
}

type Parsed =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly reason: string };

function parseBounded(text: string): Parsed {
  if (text === '') return { ok: false, reason: 'an empty reply' };
  if (text.length > maxJsonCharacters)
    return { ok: false, reason: `more than ${maxJsonCharacters} characters` };
  if (depthOf(text) > maxJsonDepth)
    return { ok: false, reason: `nesting deeper than ${maxJsonDepth} levels` };
  let value: JsonValue;
  try {
    // JSON.parse returns exactly the values that JsonValue names.
    value = JSON.parse(text) as JsonValue;
  } catch {
    return { ok: false, reason: 'text that is not valid JSON' };
  }
  if (hasTooManyValues(value)) return { ok: false, reason: `more than ${maxJsonValues} values` };
  return { ok: true, value };
}

/** The greatest number of brackets open at once, brackets inside strings not counted. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let position = 0; position < text.length; position += 1) {
    const character = text[position];
    if (inString) {
      if (character === '\\') position += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (character === '}' || character === ']') depth -= 1;
  }
  return deepest;
}

function hasTooManyValues(root: JsonValue): boolean {
  const open: JsonValue[] = [root];
  let values = 1;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const children: readonly JsonValue[] = Object.values(value);
    values += children.length;
    if (values > maxJsonValues) return true;
    open.push(...children);
  }
  return false;
}
