/** Takes JSON and fenced blocks out of replies, within bounds. */
import { inNfc, parseExactJson } from '../exact-json.ts';
import type { WorkBudget } from '../work-budget.ts';

/** No reply needs a tenth of this depth or of this many values. */
export const maxJsonDepth = 32;
const maxJsonValues = 2_000;
const maxJsonCharacters = 60_000;

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

const opening = /^[ ]{0,3}(`{3,8}|~{3,8})[^`]{0,40}$/;
/** Nobody needs more fences; hostile replies have thousands. */
const maxFences = 40;

/** One pass over the lines. A fence that never closes is not one. */
function readFences(text: string): readonly string[] {
  const lines = text.split('\n');
  const blocks: string[] = [];
  let mark: string | null = null;
  let from = 0;
  for (const [at, line] of lines.entries()) {
    if (mark === null) {
      mark = opening.exec(line)?.[1] ?? null;
      from = at;
    } else if (line.trim() === mark) {
      blocks.push(lines.slice(from + 1, at).join('\n'));
      mark = null;
    }
    if (blocks.length === maxFences) break;
  }
  return blocks;
}

/** The fenced blocks of a reply, or the whole of it. Keeps tabs and invisible characters. */
export function blocksOf(text: string): readonly string[] {
  const spoken = text.replaceAll('\r\n', '\n').trim();
  const fenced = readFences(spoken);
  return fenced.length > 0 ? fenced : [spoken];
}

/** The one JSON document of a reply, which is the whole reply or its only fenced block, or why none is read. */
export function jsonOf(
  reply: string,
): { readonly value: JsonValue } | { readonly reason: string } | { readonly unclear: string } {
  const blocks = blocksOf(reply);
  if (blocks.length > 1) return { unclear: `${blocks.length} fenced blocks` };
  const text = blocks[0]?.trim() ?? '';
  if (text === '') return { reason: 'an empty reply' };
  if (text.length > maxJsonCharacters) return { unclear: `more than ${maxJsonCharacters} characters` };
  const excess = findExcess(text);
  if (excess !== null) return { unclear: excess };
  try {
    // Parsers of JSON return exactly the values that JsonValue names.
    return { value: inNfc(parseExactJson(text)) as JsonValue };
  } catch {
    return { reason: 'text that is not valid JSON' };
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

/** How often the characters of a text are looked at, on average. Only brackets that never close reach it. */
const maxReadings = 64;
/** Steps of work for each bracket. */
const bracketSteps = 200;

interface FoundJson {
  readonly values: readonly JsonValue[];
  /** The text outside of them. */
  readonly around: string;
  /** Why there may be more; null if there is none. */
  readonly unclear: string | null;
}

/** The JSON objects and lists in a text, without those inside of others. */
export function jsonsIn(text: string, work: WorkBudget): FoundJson {
  const values: JsonValue[] = [];
  let around = '';
  let behind = 0;
  let unclear: string | null = null;
  let left = maxReadings * Math.min(text.length, maxJsonCharacters);
  const bracket = /[{[]/g;
  for (let start = bracket.exec(text)?.index; start !== undefined; start = bracket.exec(text)?.index) {
    work.spend(bracketSteps);
    const end = endOfBrackets(text, start);
    left -= (end < 0 ? Math.min(text.length, start + maxJsonCharacters) : end) - start;
    if (left < 0) {
      unclear = 'too many open brackets';
      break;
    }
    const read = end < 0 ? null : jsonOf(text.slice(start, end));
    if (read === null || 'reason' in read) continue;
    if ('unclear' in read) {
      ({ unclear } = read);
      continue;
    }
    values.push(read.value);
    around += text.slice(behind, start);
    behind = end;
    bracket.lastIndex = end;
  }
  return { values, around: around + text.slice(behind), unclear };
}

/** Behind the bracket that closes the one at `start`; -1 if none does. */
function endOfBrackets(text: string, start: number): number {
  let depth = 0;
  for (let position = start; position < text.length; position += 1) {
    const character = text.charAt(position);
    if (character === '"') position = endOfString(text, position);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth === 0) return position + 1;
    if (position - start > maxJsonCharacters) return -1;
  }
  return -1;
}
