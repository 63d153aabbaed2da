/** The definition of a tool: its name, its description, a closed JSON Schema of its arguments, and its effect. */
import { type Static, type TObject, type TProperties, Type } from 'typebox';
import { compileSchema } from '#runtime/json-reader.ts';
import { describeErrors } from '#runtime/validation-messages.ts';
import { manners } from '../dials.ts';
import { idFields, type Row, type TableName, type Office } from '../office.ts';
import type { Manual } from '../manual/pages.ts';

export type ToolResult = Readonly<Record<string, unknown>>;

/** What a tool works on. */
export interface Workplace {
  readonly office: Office;
  readonly manual: Manual;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: TObject;
  /** True for tools that change the office. */
  readonly writes: boolean;
  readonly searches: boolean;
  /** The fault in the arguments, or null. */
  check(args: unknown): string | null;
  /** @param args have passed `check` */
  run(workplace: Workplace, args: unknown): ToolResult;
}

type Declaration = Pick<Tool, 'name' | 'description'> & Partial<Pick<Tool, 'writes' | 'searches'>>;

const shownErrorsMax = 3;

export function declareTool<Properties extends TProperties>(
  { name, description, writes = false, searches = false }: Declaration,
  properties: Properties,
  run: (workplace: Workplace, args: Static<TObject<Properties>>) => ToolResult,
): Tool {
  const schema = Type.Object(properties, { additionalProperties: false });
  return {
    name,
    description: searches ? `${description} Counts as a search.` : description,
    writes,
    searches,
    parameters: schema,
    check(args) {
      const compiled = compileSchema(schema);
      if (compiled.Check(args)) return null;
      return describeErrors(compiled.Errors(args), schema, args, 'The value of `args`')
        .slice(0, shownErrorsMax)
        .join(' ');
    },
    // The arguments have passed the schema.
    run: (workplace, args) => run(workplace, args as Static<TObject<Properties>>),
  };
}

export const word = (description: string, maxLength = 200) =>
  Type.String({ minLength: 1, maxLength, description });
export const maybe = Type.Optional;
export const cursor = () =>
  maybe(
    Type.String({
      maxLength: 60,
      description: `From \`next_cursor\` of the page before. Good for ${manners.cursorCalls} calls.`,
    }),
  );
export const ids = (what: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
    minItems: 1,
    maxItems: manners.batch,
    description: `Ids of up to ${manners.batch} ${what}.`,
  });
export const key = () =>
  maybe(
    Type.String({
      minLength: 1,
      maxLength: 60,
      description: 'Repeating a call with the same key has no second effect.',
    }),
  );

export function failure(error: string, message: string, retryAfter?: number): ToolResult {
  return retryAfter === undefined ? { error, message } : { error, message, retry_after: retryAfter };
}

/** The fault of a text that could not be read back in one response, or null. */
export function tooLong(text: string): ToolResult | null {
  const bytes = Buffer.byteLength(JSON.stringify(text));
  if (bytes <= manners.textBytes) return null;
  return failure('too_long', `The text takes ${bytes} bytes; at most ${manners.textBytes} are kept.`);
}

/** A row without hidden fields. */
export function shown(row: Row): ToolResult {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith('_')));
}

export function pick(row: Row, fields: readonly string[]): ToolResult {
  return Object.fromEntries(fields.map((field) => [field, row[field] ?? null]));
}

/**
 * A page of rows. Cursors expire, and lists end after five pages.
 *
 * @param of what the list was asked for, so that a cursor fits no other list
 */
export function pageOf(
  office: Office,
  rows: readonly ToolResult[],
  of: unknown,
  at: string | undefined,
): ToolResult {
  const mark = checksum(JSON.stringify(of));
  let start = 0;
  if (at !== undefined) {
    const [tick = '', offset = '', own] = at.split('-');
    if (own !== mark)
      return failure('cursor_invalid', 'This cursor is of another list. Start again without one.');
    if (office.tick - Number.parseInt(tick, 36) > manners.cursorCalls) {
      return failure(
        'cursor_expired',
        `A cursor is good for ${manners.cursorCalls} calls. Start again without one.`,
      );
    }
    start = Number.parseInt(offset, 36);
    if (!(start > 0 && start < manners.pagesMax * manners.pageRows)) {
      return failure('cursor_invalid', 'This is not a valid cursor. Start again without one.');
    }
  }
  const items = fitting(rows.slice(start, start + manners.pageRows));
  const end = start + items.length;
  const isLast = end >= rows.length;
  const isCut = !isLast && end >= manners.pagesMax * manners.pageRows;
  return {
    items,
    next_cursor: isLast || isCut ? null : `${office.tick.toString(36)}-${end.toString(36)}-${mark}`,
    ...(isCut ? { note: `Lists end here, though more rows match. Narrow the list.` } : {}),
  };
}

/** As many items as a response may hold; at least one. */
export function fitting(items: readonly ToolResult[]): ToolResult[] {
  let bytes = 0;
  const kept: ToolResult[] = [];
  for (const item of items) {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    if (kept.length > 0 && bytes > manners.responseBytes - 250) break;
    kept.push(item);
  }
  return kept;
}

/** The rows with these ids, from any of the tables; those that do not fit in the response are named. */
export function getRows(
  office: Office,
  tables: readonly TableName[],
  wanted: readonly string[],
  present: (row: Row) => ToolResult = shown,
): ToolResult {
  const [only = 'people', ...more] = tables;
  const idField = more.length === 0 ? idFields[only] : 'id';
  const rows = wanted.map((id) => {
    const row = tables.map((table) => office.find(table, id)).find((found) => found !== null);
    return row === undefined || row === null
      ? { [idField]: id, ...failure('not_found', `There is no ${id}.`) }
      : present(row);
  });
  const items = fitting(rows);
  return items.length === rows.length ? { items } : { items, left_out: wanted.slice(items.length) };
}

const haystacks = new WeakMap<Row, string>();

/** The words of a query. */
export function wordsOf(query: string): readonly string[] {
  return normal(query).split(' ').filter(Boolean);
}

/** Whether every word is a word of the row's fields. */
export function hasWords(row: Row, fields: readonly string[], words: readonly string[]): boolean {
  let haystack = haystacks.get(row);
  if (haystack === undefined) {
    haystack = ` ${normal(fields.map((field) => String(row[field] ?? '')).join(' '))} `;
    haystacks.set(row, haystack);
  }
  const all = haystack;
  return words.length > 0 && words.every((one) => all.includes(` ${one} `));
}

function normal(from: string): string {
  return from
    .toLowerCase()
    .replace(/[^\p{L}\d]+/gu, ' ')
    .trim();
}

/** A number below `below` that follows from the text alone. */
export function drawnFrom(of: string, below: number): number {
  return Number.parseInt(checksum(of), 36) % below;
}

function checksum(of: string): string {
  let hash = 2_166_136_261;
  for (let at = 0; at < of.length; at += 1) hash = Math.imul(hash ^ of.charCodeAt(at), 16_777_619);
  return (hash >>> 0).toString(36);
}
