/** Graders of structured replies: JSON and tables. */
import { parse as parseCsv } from 'csv-parse/sync';
import { Type } from 'typebox';
import { type JsonValue, readJson } from '#evals/own-suite/graders/read-json.ts';
import { readFences } from '#evals/suite/grading/read-document.ts';
import { dropReasoning } from '#evals/own-suite/graders/drop-reasoning.ts';
import { decimalOf, isWithin, parseDecimal } from '../decimal.ts';
import { prepareSchema } from '../json-schema/prepare-schema.ts';
import { type Apply, type Fields, isFields, pointerOf, SchemaFault } from '../json-schema/schema.ts';
import { comparable, Ignore, quoteText } from '../text-forms.ts';
import type { WorkBudget } from '../work-budget.ts';
import { grader, type Verdict, verdict } from './grader.ts';

const closed = { additionalProperties: false } as const;
const maxSchemaCharacters = 50_000;
const maxRows = 2_000;
const maxColumns = 100;
/** Steps of a cell of a table, and of each of its characters. */
const cellSteps = 50;
const formSteps = 8;

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

/** Why a schema is refused, or null. */
function faultOfSchema(schema: Fields, work: WorkBudget): string | null {
  if (JSON.stringify(schema).length > maxSchemaCharacters)
    return `must have at most ${maxSchemaCharacters} characters`;
  try {
    prepareSchema(schema, work);
    return null;
  } catch (error) {
    if (error instanceof SchemaFault) return error.message;
    throw error;
  }
}

const Scalar = Type.Union([Type.String({ maxLength: 20_000 }), Type.Number(), Type.Boolean(), Type.Null()]);
const pointer = Type.String({
  pattern: '^(?:/.*)?$',
  maxLength: 500,
  'x-rule': 'be a JSON Pointer, such as /items/0/name',
});

export const json = grader({
  name: 'json',
  stepsPerCharacter: 10,
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
  check(spec, { path, work }) {
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
    const fault = isFields(schema) ? faultOfSchema(schema, work) : null;
    return fault === null ? [] : [{ path: [...here, 'schema'], message: `\`schema\` ${fault}.` }];
  },
  prepare(spec, _inner, prepareWork) {
    const { schema, at } = spec.json;
    prepareWork.spend(JSON.stringify(spec.json).length);
    const validate = isFields(schema) ? prepareSchema(schema, prepareWork) : null;
    const expected = [
      validate === null ? 'JSON' : 'JSON that matches the schema',
      ...(at === undefined ? [] : [describeRule(spec.json)]),
    ].join(', ');
    return ({ text }, { work }) => {
      const read = jsonOf(text);
      if ('reason' in read) return verdict(false, expected, read.reason);
      const failure = validate === null ? null : findFailure(validate, read.value, work);
      if (failure !== null) return verdict(false, expected, failure);
      if (at === undefined) return verdict(true, expected, 'it');
      return gradeValue(read.value, spec.json, expected);
    };
  },
});

function findFailure(validate: Apply, value: JsonValue, work: WorkBudget): string | null {
  const evaluated = { properties: new Set<string>(), items: new Set<number>() };
  const failure = validate(value, { place: null, work, evaluated });
  if (failure === null) return null;
  return `${failure.place === null ? 'the document' : pointerOf(failure.place)} ${failure.message}`;
}

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
  stepsPerCharacter: 60,
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
  prepare(spec, _inner, work) {
    for (const row of spec.rows)
      for (const cell of row) work.spend(cellSteps + formSteps * String(cell).length);
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
  if (marked.length >= 2) return marked.filter((line) => !/^\|(?:[ :]*-[ :-]*\|)+$/.test(line)).map(cellsOf);
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
    .map((cell) => withoutMarks(cell.replaceAll('\\|', '|')));
}

/** Without the marks of emphasis and the spaces around a cell. An expression would try each of many spaces inside it. */
function withoutMarks(cell: string): string {
  let start = 0;
  let end = cell.length;
  while (start < end && /[\s*_`]/.test(cell.charAt(start))) start += 1;
  while (end > start && /[\s*_`]/.test(cell.charAt(end - 1))) end -= 1;
  return cell.slice(start, end);
}
