/** Parses the text of a suite, and finds the line and column of a value in it. */
import {
  Composer,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  Lexer,
  LineCounter,
  Parser,
  type Document,
  type Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { exactOf } from './exact-json.ts';
import type { Path } from './fault.ts';
import { maxCases, maxDocumentBytes, maxDocumentDepth, maxTokens } from './limits.ts';

export type DocumentFormat = 'yaml' | 'json' | 'jsonl';

export interface Place {
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

export interface LocatedFault extends Place {
  /** Where it is in a file that the document names. */
  readonly file?: string;
  readonly message: string;
}

interface Value {
  readonly value: unknown;
  /** The place of the value at `path`, or of the nearest value around it. */
  readonly locate: (path: Path) => Place;
}

interface NotRead {
  readonly ok: false;
  readonly faults: readonly LocatedFault[];
}

export type ReadDocument = ({ readonly ok: true } & Value) | NotRead;

const start: Place = { line: 1, column: 1 };

/** Takes time in proportion to the text, about a second for the longest. */
export function readDocument(
  given: string,
  format: DocumentFormat,
  budget: TokenBudget = { left: maxTokens },
): ReadDocument {
  const text = given.replace(/^\ufeff/, '');
  const refused = refuseText(text);
  if (refused !== null) return refused;
  return format === 'jsonl' ? readLines(text, budget) : readYaml(text, budget);
}

/**
 * The documents of a YAML text as other tools write it: with anchors, aliases and merge keys, which together stand for no
 * more than a document may have, and with numbers as keys.
 */
export function readDocuments(
  given: string,
  budget: TokenBudget,
): { readonly ok: true; readonly documents: readonly Value[] } | NotRead {
  const text = given.replace(/^\ufeff/, '');
  const refused = refuseText(text);
  if (refused !== null) return refused;
  const at = placesIn(text);
  const parsed = parseWithin(text, budget);
  if (!('documents' in parsed)) return refuse(at(parsed.offset), parsed.message);
  const read = parsed.documents.map((document) => valueOf(document, at, budget));
  const faults = read.flatMap((each) => (each.ok ? [] : each.faults));
  return faults.length > 0
    ? { ok: false, faults }
    : { ok: true, documents: read.flatMap((each) => (each.ok ? [each] : [])) };
}

function refuseText(text: string): NotRead | null {
  if (Buffer.byteLength(text) > maxDocumentBytes)
    return refuse(start, `The document must have at most ${maxDocumentBytes} bytes.`);
  const fault = findUnstorable(text);
  return fault === null ? null : refuse(placeOf(text, fault.offset), fault.message);
}

function refuse(place: Place, message: string): NotRead {
  return { ok: false, faults: [{ ...place, message }] };
}

function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/** How many tokens may still be read. Several texts of one request share it. */
export interface TokenBudget {
  left: number;
}

/** JSON is a part of YAML 1.2, so one parser reads both and knows where each value stands. */
function readYaml(text: string, budget: TokenBudget): ReadDocument {
  const at = placesIn(text);
  const parsed = parseWithin(text, budget);
  if (!('documents' in parsed)) return refuse(at(parsed.offset), parsed.message);
  const [document, second] = parsed.documents;
  if (document === undefined) throw new Error('The composer made no document.');
  return second === undefined ? valueOf(document, at) : refuse(at(second.range?.[0] ?? 0), severalDocuments);
}

type PlaceOf = (offset: number) => Place;

function placesIn(text: string): PlaceOf {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1);
  return (offset) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
}

/** @param shared where aliases and merge keys may stand, and what they may still take in */
function valueOf(document: Document.Parsed, at: PlaceOf, shared?: TokenBudget): ReadDocument {
  const [error] = document.errors;
  if (error !== undefined)
    return refuse(at(error.pos[0]), `The document cannot be parsed: ${error.message}.`);
  const refused = findRefused(document, shared !== undefined);
  if (refused !== null) return refuse(at(refused.offset), refused.message);
  const keys = new WeakMap<YAMLMap, ReadonlyMap<unknown, unknown>>();
  const value = document.toJS({ maxAliasCount: shared === undefined ? 0 : -1 }) as unknown;
  const fault = shared === undefined ? null : unfold(value, shared);
  if (fault !== null) return refuse(at(document.range[0]), fault);
  return { ok: true, value, locate: (path) => at(offsetOf(document, path, keys)) };
}

/**
 * Takes merge keys in, and measures the value as if each alias were written out, because whatever reads it walks it so.
 *
 * @returns what is wrong with it; null if nothing is
 */
function unfold(root: unknown, budget: TokenBudget): string | null {
  const known = new Map<object, Size>();
  const open = new Set<object>();
  const measure = (value: unknown): Size => {
    if (typeof value !== 'object' || value === null)
      return { values: 1, characters: typeof value === 'string' ? value.length : 1, depth: 0 };
    const before = known.get(value);
    if (before !== undefined) return before;
    if (open.has(value)) throw new UnfoldError('An alias must not stand inside what it names.');
    open.add(value);
    if (!Array.isArray(value)) takeInMerged(value as Record<string, unknown>, budget);
    const sum = { values: 1, characters: 2, depth: 0 };
    for (const [name, inner] of Object.entries(value)) {
      const each = measure(inner);
      sum.values += each.values;
      sum.characters += each.characters + name.length;
      sum.depth = Math.max(sum.depth, each.depth + 1);
    }
    if (sum.values > maxTokens || sum.characters > maxDocumentBytes)
      throw new UnfoldError(
        `With its aliases written out, the document must have at most ${maxTokens} values and ${maxDocumentBytes} characters.`,
      );
    if (sum.depth > maxDocumentDepth) throw new UnfoldError(tooDeep);
    open.delete(value);
    known.set(value, sum);
    return sum;
  };
  try {
    measure(root);
    return null;
  } catch (error) {
    if (!(error instanceof UnfoldError)) throw error;
    return error.message;
  }
}

interface Size {
  readonly values: number;
  readonly characters: number;
  readonly depth: number;
}

class UnfoldError extends Error {
  override readonly name: string = 'UnfoldError';
}

/** `<<: *base` stands for the fields of `base` that the object does not have itself. */
function takeInMerged(fields: Record<string, unknown>, budget: TokenBudget): void {
  if (!Object.hasOwn(fields, '<<')) return;
  const given = fields['<<'];
  Reflect.deleteProperty(fields, '<<');
  for (const base of Array.isArray(given) ? (given as readonly unknown[]) : [given]) {
    if (typeof base !== 'object' || base === null) continue;
    const entries = Object.entries(base);
    budget.left -= entries.length;
    if (budget.left < 0) throw new UnfoldError(tooManyTokens);
    for (const [name, value] of entries)
      if (!Object.hasOwn(fields, name))
        Object.defineProperty(fields, name, { value, enumerable: true, writable: true, configurable: true });
  }
}

/** The levels of the parser for one level of the document: a collection, and its place in the one around it. */
const parserLevels = 2;

/** Counts tokens and levels while the tree is being built, so that no text of a few MB becomes a tree of gigabytes. */
function parseWithin(
  text: string,
  budget: TokenBudget,
): { readonly documents: readonly Document.Parsed[] } | Refused {
  const composer = new Composer({ version: '1.2', schema: 'core', uniqueKeys: false, merge: false });
  const parser = new Parser();
  const documents: Document.Parsed[] = [];
  let offset = 0;
  for (const token of new Lexer().lex(text)) {
    budget.left -= 1;
    if (budget.left < 0) return { offset, message: tooManyTokens };
    for (const part of parser.next(token)) documents.push(...composer.next(part));
    if (parser.stack.length > parserLevels * maxDocumentDepth + 2) return { offset, message: tooDeep };
    // The parser counts from the text itself; marks of its own have no length.
    offset = parser.offset;
  }
  for (const part of parser.end()) documents.push(...composer.next(part));
  documents.push(...composer.end(true, text.length));
  return { documents };
}

export const tooDeep = `The document must be at most ${maxDocumentDepth} levels deep.`;
const severalDocuments = 'The text must be one document; remove the line `---` and what follows it.';
const tooManyTokens = `The document must have at most ${maxTokens} values, keys, marks and line breaks; write long texts in one piece, and use several documents.`;

interface Refused {
  readonly offset: number;
  readonly message: string;
}

/** Postgres stores neither, and no canonical form has half of a pair. */
function findUnstorable(text: string): Refused | null {
  const nul = text.indexOf('\0');
  if (nul >= 0) return { offset: nul, message: 'The document must not contain the character NUL.' };
  const lone = text.search(/\p{Cs}/u);
  if (lone < 0) return null;
  return { offset: lone, message: 'The document must not contain half of a surrogate pair.' };
}

/**
 * Anchors, aliases, tags, duplicate keys, and nesting: what makes a short text a large or ambiguous document. Also
 * characters that only an escape brings into a text. Numbers that would be rounded get all of their digits.
 *
 * @param isForeign whether anchors, aliases and keys that are numbers may stand in it
 */
function findRefused(document: Document, isForeign: boolean): Refused | null {
  let refused: Refused | null = null;
  const anchored = new Map<string, Scalar | YAMLMap | YAMLSeq>();
  const stop = (offset: number, message: string) => {
    refused = { offset, message };
    return visit.BREAK;
  };
  visit(document, (_key, node, path) => {
    if (isPair(node)) {
      const isText = isScalar(node.key) && (isForeign || typeof node.key.value === 'string');
      return isText
        ? undefined
        : stop(
            isNode(node.key) ? (node.key.range?.[0] ?? 0) : 0,
            'Keys must be strings; write the key in quotes.',
          );
    }
    if (!isNode(node)) return undefined;
    const offset = node.range?.[0] ?? 0;
    if (!isForeign && (isAlias(node) || ('anchor' in node && node.anchor !== undefined)))
      return stop(offset, 'Anchors and aliases are not allowed; repeat the value.');
    if (isAlias(node)) {
      const meant = anchored.get(node.source);
      if (meant === undefined)
        return stop(offset, `No anchor \`&${node.source.slice(0, 60)}\` stands before this alias.`);
      // The library looks for it from the start of the document.
      node.resolve = () => meant;
    } else if (node.anchor !== undefined) anchored.set(node.anchor, node);
    if (node.tag !== undefined) return stop(offset, 'Tags are not allowed; write the plain value.');
    // Tools are sent as JSON, where each reader rounds as it likes.
    if (isScalar(node) && typeof node.value === 'number' && !path.some(isToolsPair))
      node.value = exactOf(node.value, node.source ?? '');
    const escaped = isScalar(node) && typeof node.value === 'string' ? findUnstorable(node.value) : null;
    if (escaped !== null) return stop(offset, escaped.message);
    if (path.length > 2 * maxDocumentDepth) return stop(offset, tooDeep);
    if (isMap(node)) {
      const seen = new Set<unknown>();
      for (const { key } of node.items) {
        const name: unknown = isScalar(key) ? key.value : key;
        if (seen.has(name))
          return stop(
            isNode(key) ? (key.range?.[0] ?? offset) : offset,
            `The key \`${String(name).slice(0, 60)}\` occurs twice.`,
          );
        seen.add(name);
      }
    }
    return undefined;
  });
  return refused;
}

function isToolsPair(node: unknown): boolean {
  return isPair(node) && isScalar(node.key) && node.key.value === 'tools';
}

/** @param keys the pairs of each map that was searched, by key: one document is searched many times */
function offsetOf(
  document: Document,
  path: Path,
  keys: WeakMap<YAMLMap, ReadonlyMap<unknown, unknown>>,
): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const part of path) {
    if (!isCollection(node)) break;
    const pair = isMap(node) ? pairsOf(node, keys).get(part) : undefined;
    const key = isPair(pair) ? pair.key : undefined;
    // A fault in a field is shown at its name, which is where a person looks for it.
    if (isNode(key)) offset = key.range?.[0] ?? offset;
    const next: unknown = isPair(pair) ? pair.value : isMap(node) ? undefined : node.get(part, true);
    if (next === undefined || next === null) break;
    if (!isPair(pair) && isNode(next)) offset = next.range?.[0] ?? offset;
    node = next;
  }
  return offset;
}

function pairsOf(
  map: YAMLMap,
  keys: WeakMap<YAMLMap, ReadonlyMap<unknown, unknown>>,
): ReadonlyMap<unknown, unknown> {
  const known = keys.get(map);
  if (known !== undefined) return known;
  const pairs = new Map(map.items.map((pair) => [isScalar(pair.key) ? pair.key.value : pair.key, pair]));
  keys.set(map, pairs);
  return pairs;
}

/** The first line has the fields of the suite, each further line a case. Empty lines are skipped. */
function readLines(text: string, budget: TokenBudget): ReadDocument {
  const lines = text
    .split(/\r?\n/)
    .flatMap((line, at) => (line.trim() === '' ? [] : [{ line, number: at + 1 }]));
  const [head, ...rest] = lines;
  if (head === undefined)
    return refuse(start, 'The document is empty. Its first line must have the fields of the suite.');
  if (rest.length > maxCases)
    return refuse(
      { line: rest[maxCases]?.number ?? 1, column: 1 },
      `A suite must have at most ${maxCases} cases.`,
    );
  const values: unknown[] = [];
  const faults: LocatedFault[] = [];
  const reads = lines.map(({ line, number }) => {
    const read = readYaml(line, budget);
    if (read.ok) values.push(read.value);
    else faults.push(...read.faults.map((fault) => ({ ...fault, line: number })));
    return { number, read };
  });
  if (faults.length > 0) return { ok: false, faults };
  const [header, ...cases] = values;
  if (typeof header !== 'object' || header === null || Array.isArray(header))
    return refuse(start, 'The first line must be an object with the fields of the suite.');
  if (Object.hasOwn(header, 'cases'))
    return refuse(
      start,
      'The first line of a JSONL suite must not have `cases`; write one case on each further line.',
    );
  return {
    ok: true,
    value: { ...header, cases },
    locate(path) {
      const isCase = path[0] === 'cases' && typeof path[1] === 'number';
      const chosen = reads[isCase ? Number(path[1]) + 1 : 0];
      if (chosen?.read.ok !== true) return start;
      return { line: chosen.number, column: chosen.read.locate(isCase ? path.slice(2) : path).column };
    },
  };
}
