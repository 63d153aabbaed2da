/** Graders of structured replies: JSON and tables. */
import { parse as parseCsv } from 'csv-parse/sync';
import { type Static, Type } from 'typebox';
import { type JsonValue, readJson } from '#evals/own-suite/graders/read-json.ts';
import { dropReasoning } from '#evals/own-suite/graders/drop-reasoning.ts';
import { isSameNumber, isWithin } from '../decimal.ts';
import { decimalIn, decimalOf, isSameValue, Numeric, parseExactJson, writeExactJson } from '../exact-json.ts';
import { prepareSchema } from '../json-schema/prepare-schema.ts';
import { type Apply, type Fields, isFields, pointerOf, SchemaFault } from '../json-schema/schema.ts';
import { comparableItem, hiddenIn, Ignore, plainForm, quoteText } from '../text-forms.ts';
import type { WorkBudget } from '../work-budget.ts';
import { findNumbers } from '../find-numbers.ts';
import { hasText } from '../find-text.ts';
import { grader, type Verdict, verdict } from './grader.ts';
import { number } from './numbers.ts';

const closed = { additionalProperties: false } as const;
const maxSchemaCharacters = 50_000;
const maxRows = 2_000;
const maxColumns = 100;
/** Steps of a number in a text. */
const numberSteps = 1_000;
/** Steps of a cell of a table, and of each of its characters. */
const cellSteps = 50;
const formSteps = 8;

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

/** The fenced blocks of a reply without its reasoning, or the whole of it. Keeps tabs and invisible characters. */
function blocksOf(text: string): readonly string[] {
  const spoken = (dropReasoning(text.replaceAll('\r\n', '\n')) ?? '').trim();
  const fenced = readFences(spoken);
  return fenced.length > 0 ? fenced : [spoken];
}

/** The one JSON document of a reply: the whole reply or its only fenced block. */
function jsonOf(text: string): { readonly value: JsonValue } | { readonly reason: string } {
  const blocks = blocksOf(text);
  if (blocks.length > 1) return { reason: `${blocks.length} fenced blocks` };
  const read = readJson(blocks[0] ?? '', parseExactJson);
  if (!read.ok) return { reason: read.reason };
  return read.bare ? { value: read.value } : { reason: 'JSON with other text around it' };
}

/** Why a schema is refused, or null. */
function faultOfSchema(schema: Fields, work: WorkBudget, warn: (message: string) => void): string | null {
  if (JSON.stringify(schema).length > maxSchemaCharacters)
    return `must have at most ${maxSchemaCharacters} characters`;
  try {
    prepareSchema(schema, work, warn);
    return null;
  } catch (error) {
    if (error instanceof SchemaFault) return error.message;
    throw error;
  }
}

const Scalar = Type.Union([Type.String({ maxLength: 20_000 }), Numeric, Type.Boolean(), Type.Null()]);
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
          number: Type.Optional(Numeric),
          within: Type.Optional(Type.Number({ minimum: 0 })),
        },
        closed,
      ),
    },
    closed,
  ),
  check(spec, { path, work, warn }) {
    const { schema, at, equals, contains, number: wanted, within } = spec.json;
    const here = [...path, 'json'];
    const rules = [equals, contains, wanted].filter((rule) => rule !== undefined).length;
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
    if (typeof contains === 'string' && plainForm(contains) === '')
      return [{ path: [...here, 'contains'], message: '`contains` is blank, so every text would pass.' }];
    if (wanted !== undefined && decimalIn(wanted) === null)
      return [{ path: [...here, 'number'], message: '`number` must be a finite number.' }];
    if (within !== undefined && wanted === undefined)
      return [{ path: here, message: '`within` needs `number`.' }];
    const fault = isFields(schema)
      ? faultOfSchema(schema, work, (message) => warn([...here, 'schema'], `\`schema\` ${message}.`))
      : null;
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
      return gradeValue(read.value, spec.json, expected, work);
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
  readonly contains?: Static<typeof Scalar>;
  readonly number?: Numeric;
  readonly within?: number;
}

function describeRule(rule: ValueRule): string {
  const place = rule.at === '' ? 'the document' : rule.at;
  if (rule.number !== undefined) return `${place} ${writeExactJson(rule.number)} within ${rule.within ?? 0}`;
  if (rule.contains !== undefined) return `${place} with ${quoteText(textOf(rule.contains))} in it`;
  return `${place} ${quoteText(writeExactJson(rule.equals))}`;
}

function gradeValue(document: JsonValue, rule: ValueRule, expected: string, work: WorkBudget): Verdict {
  const value = valueAt(document, rule.at ?? '');
  if (value === undefined) return verdict(false, expected, `nothing at ${rule.at}`);
  const found = quoteText(writeExactJson(value));
  if (rule.number !== undefined) {
    const decimal = decimalIn(value);
    const close =
      decimal !== null && isWithin(decimal, decimalOf(rule.number), { within: decimalOf(rule.within ?? 0) });
    return verdict(close, expected, found);
  }
  if (rule.contains !== undefined) {
    return verdict(holds(value, rule.contains, work), expected, `${found}${hiddenIn(found)}`);
  }
  return verdict(isSameValue(value, rule.equals), expected, `${found}${hiddenIn(found)}`);
}

/** A list has the item, or a text has the part. A number is part of a text only where it is not part of another. */
function holds(value: JsonValue, part: Static<typeof Scalar>, work: WorkBudget): boolean {
  if (Array.isArray(value)) return value.some((item) => isSameValue(item, part));
  if (typeof value !== 'string') return false;
  if (typeof part === 'string') return hasText(plainForm(value), plainForm(part), work);
  const decimal = decimalIn(part);
  if (decimal === null) return false;
  work.spend(value.length * number.stepsPerCharacter);
  const numbers = findNumbers(value);
  work.spend(numbers.count * numberSteps);
  for (let at = 0; at < numbers.count; at += 1) {
    const found = numbers.read(at)?.value;
    if (found != null && isSameNumber(found, decimal)) return true;
  }
  return false;
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

const Cell = Type.Union([Type.String({ maxLength: 2_000 }), Numeric]);

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
      for (const cell of row) work.spend(cellSteps + formSteps * textOf(cell).length);
    const rowOf = (row: readonly string[]) =>
      JSON.stringify(row.map((cell) => comparableItem(cell, spec.ignore)));
    const given = spec.rows.map((row) => row.map(textOf));
    const [head = '', ...body] = given.map(rowOf);
    const wanted = spec.order === 'any' ? body.toSorted() : body;
    const expected = `a table of ${body.length} rows under ${quoteText(given[0]?.join(', ') ?? '')}${spec.order === 'any' ? ', in any order' : ''}`;
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
        spec.order === 'any'
          ? `other rows${hiddenIn(found.join(','))}`
          : `row ${at + 1}: ${quoteText(table[at + 1]?.join(', ') ?? '')}${hiddenIn(found[at] ?? '')}`,
      );
    };
  },
});

/** A text as it is, anything else as JSON writes it. */
function textOf(value: Static<typeof Scalar>): string {
  return typeof value === 'string' ? value : writeExactJson(value);
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
  const open = openTableOf(lines);
  if (open !== null) return open;
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

/** The rows of a Markdown table whose lines need not begin and end with a pipe; null if there is not exactly one. */
function openTableOf(lines: readonly string[]): readonly (readonly string[])[] | null {
  const rules = lines.flatMap((line, at) => (isRule(line) ? [at] : []));
  const [rule = 0] = rules;
  if (rules.length !== 1 || lines[rule - 1]?.includes('|') !== true) return null;
  const rest = lines.slice(rule + 1);
  const end = rest.findIndex((line) => !line.includes('|'));
  return [lines[rule - 1] ?? '', ...(end < 0 ? rest : rest.slice(0, end))].map(cellsOf);
}

/** The line under the header, such as `---|:--:`. */
function isRule(line: string): boolean {
  return line.includes('|') && cellsOf(line).every((cell) => /^:?-+:?$/.test(cell));
}

function cellsOf(line: string): readonly string[] {
  const start = line.startsWith('|') ? 1 : 0;
  const end = line.length > start && line.endsWith('|') && !line.endsWith('\\|') ? -1 : undefined;
  return line
    .slice(start, end)
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
