/** Graders of structured replies: JSON and tables. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse as parseCsv } from 'csv-parse/sync';
import { RE2JS } from 're2js';
import { Type } from 'typebox';
import { type JsonValue, readJson } from '#evals/suite/graders/read-json.ts';
import { readFences } from '#evals/suite/grading/read-document.ts';
import { dropReasoning } from '#evals/suite/reader/drop-reasoning.ts';
import { decimalOf, isWithin, parseDecimal } from '../decimal.ts';
import { comparable, Ignore, quoteText } from '../text-forms.ts';
import { grader, type Verdict, verdict } from './grader.ts';

const closed = { additionalProperties: false } as const;
const maxSchemaCharacters = 50_000;
const maxRows = 2_000;
const maxColumns = 100;

/** The fenced blocks of a reply without its reasoning, or the whole of it. Keeps tabs and invisible characters. */
function blocksOf(text: string): readonly string[] {
  const spoken = (dropReasoning(text.replaceAll('\r\n', '\n')) ?? '').trim();
  const fenced = readFences(spoken).map((block) => block.text);
  return fenced.length > 0 ? fenced : [spoken];
}

/** The one JSON document of a reply: the whole reply or its only fenced block. */
function jsonOf(text: string): { readonly value: JsonValue } | { readonly reason: string } {
  const blocks = blocksOf(text);
  if (blocks.length > 1) return { reason: `${blocks.length} fenced blocks` };
  const read = readJson(blocks[0] ?? '');
  if (!read.ok) return { reason: read.reason };
  return read.bare ? { value: read.value } : { reason: 'JSON with other text around it' };
}

/** Patterns of a schema run in linear time, like those of the `matches` grader. */
const linearExpressions = Object.assign(
  (source: string) => {
    const expression = RE2JS.compile(source);
    // Compiled schemas tell expressions apart by this text.
    return { test: (text: string) => expression.matcher(text).find(), toString: () => `/${source}/` };
  },
  { code: 'linearExpressions' },
);

function compileJsonSchema(schema: object): ValidateFunction {
  // `unicodeRegExp` adds the `u` flag, which RE2 does not know: it always reads code points.
  const ajv = new Ajv2020({
    strictTypes: false,
    strictRequired: false,
    allErrors: false,
    logger: false,
    unicodeRegExp: false,
    code: { regExp: linearExpressions },
  });
  // The named export of this CommonJS module is typed as the module itself.
  (addFormats as unknown as (ajv: Ajv2020, options: { mode: 'fast' }) => void)(ajv, { mode: 'fast' });
  return ajv.compile(schema);
}

/** Why a schema is refused, or null. */
function faultOfSchema(schema: object): string | null {
  if (JSON.stringify(schema).length > maxSchemaCharacters)
    return `must have at most ${maxSchemaCharacters} characters`;
  const references = referencesIn(schema);
  const remote = references.find(({ target }) => !target.startsWith('#'));
  if (remote !== undefined) return `must not refer to other documents, as ${quoteText(remote.target)} does`;
  // An anchor could stand around its own reference.
  const anchor = references.find(({ target }) => !/^#(?:\/|$)/.test(target));
  if (anchor !== undefined)
    return `must refer to a place such as #/$defs/name, not to an anchor, as ${quoteText(anchor.target)} does`;
  const loop = references.find(({ from, target }) => refersToItself(from, target));
  if (loop !== undefined) return `must not refer to itself, as ${quoteText(loop.target)} does`;
  if (hasLoop(references)) return 'must not have references that form a loop';
  try {
    // The validator of such a schema answers with a promise, which every reply would pass.
    if ('$async' in compileJsonSchema(schema)) return 'must not have `$async`';
    return null;
  } catch (cause) {
    return `must be a JSON Schema (2020-12): ${(cause instanceof Error ? cause.message : String(cause)).slice(0, 300)}`;
  }
}

interface Reference {
  /** The JSON Pointer of the schema that has the reference. */
  readonly from: string;
  readonly target: string;
}

/** A `$id` inside a schema begins another document, in which `#` means something else. */
const referenceKeys = ['$ref', '$dynamicRef', '$recursiveRef', '$id'] as const;

function referencesIn(node: unknown, at = '#'): readonly Reference[] {
  if (typeof node !== 'object' || node === null) return [];
  const own = referenceKeys.flatMap((key) => {
    const target: unknown = Object.hasOwn(node, key) ? Reflect.get(node, key) : undefined;
    const isOwnName = key === '$id' && at === '#';
    return typeof target === 'string' && !isOwnName ? [{ from: at, target: decoded(target) }] : [];
  });
  const inside = Object.entries(node).flatMap(([key, value]) =>
    referencesIn(value, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
  return [...own, ...inside];
}

/** References may escape characters, as in `#/%24defs/a`. */
function decoded(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}

/** A schema that contains its own reference would match documents of any depth. */
function refersToItself(from: string, target: string): boolean {
  return target === '#' || from === target || from.startsWith(`${target}/`);
}

/** Whether following references, and what stands inside their targets, returns to where it began. */
function hasLoop(references: readonly Reference[]): boolean {
  const done = new Set<string>();
  const visit = (target: string, open: ReadonlySet<string>): boolean => {
    if (open.has(target)) return true;
    if (done.has(target)) return false;
    const inside = references.filter(({ from }) => from === target || from.startsWith(`${target}/`));
    const looped = inside.some((next) => visit(next.target, new Set([...open, target])));
    done.add(target);
    return looped;
  };
  return references.some(({ target }) => visit(target, new Set()));
}

const Scalar = Type.Union([Type.String({ maxLength: 20_000 }), Type.Number(), Type.Boolean(), Type.Null()]);
const pointer = Type.String({
  pattern: '^(?:/.*)?$',
  maxLength: 500,
  'x-rule': 'be a JSON Pointer, such as /items/0/name',
});

export const json = grader({
  name: 'json',
  passes:
    'the reply is JSON, or one fenced block of it, that matches `schema`, and the value `at` a JSON Pointer `equals`, `contains` or is a `number` `within`',
  schema: Type.Object(
    {
      json: Type.Object(
        {
          schema: Type.Optional(Type.Object({})),
          at: Type.Optional(pointer),
          equals: Type.Optional(Type.Unknown()),
          contains: Type.Optional(Scalar),
          number: Type.Optional(Type.Number()),
          within: Type.Optional(Type.Number({ minimum: 0 })),
        },
        closed,
      ),
    },
    closed,
  ),
  check(spec, { path }) {
    const { schema, at, equals, contains, number, within } = spec.json;
    const here = [...path, 'json'];
    const rules = [equals, contains, number].filter((rule) => rule !== undefined).length;
    if (at !== undefined && rules !== 1)
      return [{ path: here, message: '`at` needs one of `equals`, `contains` and `number`.' }];
    if (at === undefined && rules > 0)
      return [
        {
          path: here,
          message:
            '`equals`, `contains` and `number` need `at`, such as `at: /total`; `at: ""` is the whole document.',
        },
      ];
    if (within !== undefined && number === undefined)
      return [{ path: here, message: '`within` needs `number`.' }];
    const fault = schema === undefined ? null : faultOfSchema(schema);
    return fault === null ? [] : [{ path: [...here, 'schema'], message: `\`schema\` ${fault}.` }];
  },
  prepare(spec) {
    const { schema, at } = spec.json;
    const validate = schema === undefined ? null : compileJsonSchema(schema);
    const expected = [
      validate === null ? 'JSON' : 'JSON that matches the schema',
      ...(at === undefined ? [] : [describeRule(spec.json)]),
    ].join(', ');
    return ({ text }) => {
      const read = jsonOf(text);
      if ('reason' in read) return verdict(false, expected, read.reason);
      if (validate !== null && !validate(read.value)) {
        const [error] = validate.errors ?? [];
        return verdict(
          false,
          expected,
          `${error?.instancePath || 'the document'} ${error?.message ?? 'does not match'}`,
        );
      }
      if (at === undefined) return verdict(true, expected, 'it');
      return gradeValue(read.value, spec.json, expected);
    };
  },
});

interface ValueRule {
  readonly at?: string;
  readonly equals?: unknown;
  readonly contains?: string | number | boolean | null;
  readonly number?: number;
  readonly within?: number;
}

function describeRule(rule: ValueRule): string {
  const place = rule.at === '' ? 'the document' : rule.at;
  if (rule.number !== undefined) return `${place} ${rule.number} within ${rule.within ?? 0}`;
  if (rule.contains !== undefined) return `${place} with ${quoteText(String(rule.contains))} in it`;
  return `${place} ${quoteText(JSON.stringify(rule.equals))}`;
}

function gradeValue(document: JsonValue, rule: ValueRule, expected: string): Verdict {
  const value = valueAt(document, rule.at ?? '');
  if (value === undefined) return verdict(false, expected, `nothing at ${rule.at}`);
  const found = quoteText(JSON.stringify(value));
  if (rule.number !== undefined) {
    const close =
      typeof value === 'number' &&
      isWithin(decimalOf(value), decimalOf(rule.number), { within: decimalOf(rule.within ?? 0) });
    return verdict(close, expected, found);
  }
  if (rule.contains !== undefined) {
    const holds = Array.isArray(value)
      ? value.some((item) => item === rule.contains)
      : typeof value === 'string' && value.includes(String(rule.contains));
    return verdict(holds, expected, found);
  }
  return verdict(Bun.deepEquals(value, rule.equals, true), expected, found);
}

function valueAt(document: JsonValue, at: string): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const part of at.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, JsonValue>)[key]; // `hasOwn` has just shown that it exists.
  }
  return value;
}

const Cell = Type.Union([Type.String({ maxLength: 2_000 }), Type.Number()]);

export const rows = grader({
  name: 'rows',
  passes:
    'the reply is a CSV, TSV or Markdown table with these rows, the header first; `order: any` allows the others in any order',
  schema: Type.Object(
    {
      rows: Type.Array(Type.Array(Cell, { minItems: 1, maxItems: maxColumns }), {
        minItems: 1,
        maxItems: maxRows,
      }),
      order: Type.Optional(Type.Enum(['same', 'any'])),
      ignore: Type.Optional(Ignore),
    },
    closed,
  ),
  check: (spec, { path }) =>
    spec.rows.every((row) => row.length === spec.rows[0]?.length)
      ? []
      : [
          {
            path: [...path, 'rows'],
            message: 'All `rows` must have as many cells as the first, the header.',
          },
        ],
  prepare(spec) {
    const cellOf = (cell: string) => {
      const decimal = parseDecimal(cell.trim());
      return decimal === null
        ? comparable(cell, spec.ignore)
        : canonicalNumber(decimal.digits, decimal.scale);
    };
    const rowOf = (row: readonly (string | number)[]) =>
      JSON.stringify(row.map((cell) => cellOf(String(cell))));
    const [head = '', ...body] = spec.rows.map(rowOf);
    const wanted = spec.order === 'any' ? body.toSorted() : body;
    const expected = `a table of ${body.length} rows under ${quoteText(spec.rows[0]?.join(', ') ?? '')}${spec.order === 'any' ? ', in any order' : ''}`;
    return ({ text }) => {
      const table = tableOf(text);
      if (typeof table === 'string') return verdict(false, expected, table);
      const [foundHead, ...foundBody] = table.map(rowOf);
      if (foundHead !== head)
        return verdict(false, expected, `the head ${quoteText(table[0]?.join(', ') ?? '')}`);
      const found = spec.order === 'any' ? foundBody.toSorted() : foundBody;
      const at = wanted.findIndex((row, place) => row !== found[place]);
      if (at < 0 && found.length === wanted.length) return verdict(true, expected, 'it');
      if (found.length !== wanted.length) return verdict(false, expected, `${found.length} rows`);
      return verdict(
        false,
        expected,
        spec.order === 'any' ? 'other rows' : `row ${at + 1}: ${quoteText(table[at + 1]?.join(', ') ?? '')}`,
      );
    };
  },
});

/** `5`, `5.0` and `05` are one number. */
function canonicalNumber(digits: bigint, scale: number): string {
  let [value, places] = [digits, scale];
  while (places > 0 && value % 10n === 0n) [value, places] = [value / 10n, places - 1];
  return `${value}e-${places}`;
}

/** The rows of the only table in a reply, or why there is none. */
function tableOf(text: string): readonly (readonly string[])[] | string {
  const blocks = blocksOf(text);
  if (blocks.length > 1) return `${blocks.length} fenced blocks`;
  const body = blocks[0]?.trim() ?? '';
  if (body === '') return 'an empty reply';
  const lines = body.split('\n', maxRows + 100).map((line) => line.trim());
  const marked = lines.filter((line) => line.startsWith('|') && line.endsWith('|') && line.length > 1);
  if (marked.length >= 2) return marked.filter((line) => !/^\|(?:[ :-]*-[ :-]*\|)+$/.test(line)).map(cellsOf);
  try {
    return parseCsv(body, {
      delimiter: body.includes('\t') ? '\t' : ',',
      skip_empty_lines: true,
      relax_column_count: true,
      to: maxRows + 1,
    });
  } catch {
    return 'text that is not a table';
  }
}

function cellsOf(line: string): readonly string[] {
  return line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll('\\|', '|').replaceAll(/^[\s*_`]+|[\s*_`]+$/g, ''));
}
