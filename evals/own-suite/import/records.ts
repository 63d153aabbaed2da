/** Reads the records of data sets: CSV, a JSON array, or one JSON object a line. They are counted before they are made. */
import { parse as parseCsv } from 'csv-parse/sync';
import type { FilesBeside } from '../beside.ts';
import { type Fields, isDeeper, isFields, parseExactJson } from '../exact-json.ts';
import { maxDocumentDepth, maxTokens } from '../limits.ts';
import type { Path } from '../fault.ts';
import { type LocatedFault, type Place, readDocument, tooDeep, type TokenBudget } from '../read-document.ts';
import { unreadable, UnreadableError } from './imported.ts';
import { LostList } from './lost-list.ts';

/** A suite has fewer cases, but some records may have no counterpart. */
const maxRecords = 10_000;
const maxCells = 200_000;

/** One record of a data set with the line where it begins. */
interface Row {
  readonly line: number;
  readonly fields: Fields;
  /** The place of a field, where that is known. */
  readonly locate?: (path: Path) => Place;
  /** Of a table: it has fewer cells than the first line. */
  readonly isShort?: boolean;
}

export interface Rows {
  readonly rows: readonly Row[];
  readonly lost: LostList;
}

/** The names of the file for fields of the importer, such as `question` for `prompt`. */
export type ColumnMap = ReadonlyMap<string, string>;

/** What is known of a file that is imported, beside its text. */
export interface Importing {
  /** The names of the file for fields of the importer. */
  readonly map: ColumnMap;
  /** How replies are graded, if the file does not say: a scorer or a template. */
  readonly grading: string | undefined;
  readonly files: FilesBeside;
  /** Whether tests without assertions become cases. */
  readonly keepUngraded: boolean;
}

const tooManyRecords = (line: number) =>
  unreadable(line, `The file has more than ${maxRecords} records. Import it in parts.`);

const tooManyValues = `The records up to here have more than ${maxTokens} values. Import the file in parts.`;

interface Reading {
  readonly map?: ColumnMap;
  readonly budget?: TokenBudget;
  /** Takes the faults of a file that cannot be read, which then has no records. */
  readonly unread: (faults: readonly LocatedFault[]) => void;
}

/** The records of a file by its name: a table (`.csv`, `.tsv`), a list in YAML, or a JSON array or one JSON object a line. */
export function readFile(name: string, text: string, { map = new Map(), budget, unread }: Reading): Rows {
  try {
    if (isTable(name)) return withoutShort(readCsv(text, map, budget));
    return /\.ya?ml$/i.test(name)
      ? renamed(readArray(text, 'yaml', budget), map)
      : readRecords(text, map, budget);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    unread(error.faults);
    return { rows: [], lost: new LostList() };
  }
}

/** A case would lose what the missing cell expects of it. */
function withoutShort(read: Rows): Rows {
  const short = read.rows.find(({ isShort }) => isShort);
  if (short !== undefined)
    throw unreadable(short.line, 'The row has fewer cells than the first line. Add the missing separators.');
  return read;
}

export const isTable = (name: string): boolean => /\.[ct]sv$/i.test(name);

/**
 * A JSON array, or one JSON object a line.
 * @throws UnreadableError
 */
export function readRecords(text: string, map: ColumnMap, budget: TokenBudget = { left: maxTokens }): Rows {
  const read = text.trimStart().startsWith('[') ? readArray(text, 'json', budget) : readLines(text, budget);
  return renamed(read, map);
}

function renamed(read: Rows, map: ColumnMap): Rows {
  if (map.size === 0) return read;
  for (const [name, column] of map)
    if (!read.rows.some(({ fields }) => Object.hasOwn(fields, column)))
      throw unreadable(1, `\`map\` names \`${column}\` for \`${name}\`, but no record has it.`);
  const names = new Map([...map].map(([name, column]) => [column, name]));
  const rename = ([column, value]: [string, unknown]) => [names.get(column) ?? column, value] as const;
  // A field that another column stands for is not read from its own.
  const isRead = ([column]: [string, unknown]) => names.has(column) || !map.has(column);
  for (const { line, fields } of read.rows)
    for (const [name, column] of map)
      if (Object.hasOwn(fields, name) && !names.has(name) && !Object.hasOwn(fields, column))
        read.lost.add(line, name, `\`map\` names \`${column}\` for it, which this record lacks.`);
  const rows = read.rows.map(({ fields, ...row }) => ({
    ...row,
    fields: Object.fromEntries(Object.entries(fields).filter(isRead).map(rename)),
  }));
  return { ...read, rows };
}

function readArray(text: string, format: 'json' | 'yaml', budget?: TokenBudget): Rows {
  const read = readDocument(text, format, budget);
  if (!read.ok) throw new UnreadableError(read.faults);
  if (!Array.isArray(read.value)) throw unreadable(1, 'The file must be a list of records.');
  const list: readonly unknown[] = read.value;
  if (list.length > maxRecords) throw tooManyRecords(read.locate([maxRecords]).line);
  const rows: Row[] = [];
  for (const [at, fields] of list.entries()) {
    const { line } = read.locate([at]);
    if (!isFields(fields)) throw unreadable(line, 'Each record must be an object.');
    rows.push({ line, fields, locate: (path) => read.locate([at, ...path]) });
  }
  return { rows, lost: new LostList() };
}

function readLines(text: string, budget: TokenBudget): Rows {
  const rows: Row[] = [];
  let number = 0;
  for (let start = 0; start <= text.length;) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    const line = text.slice(start, end);
    start = end + 1;
    number += 1;
    if (line.trim() === '') continue;
    if (rows.length >= maxRecords) throw tooManyRecords(number);
    budget.left -= 1 + countMarks(line, beforeValue);
    if (budget.left < 0) throw unreadable(number, tooManyValues);
    const fields = parsed(
      () => parseExactJson(line),
      number,
      () => 'Each line must be JSON; this one cannot be parsed.',
    );
    if (!isFields(fields)) throw unreadable(number, 'Each line must be a JSON object.');
    if (isDeeper(fields, maxDocumentDepth)) throw unreadable(number, tooDeep);
    if (countKeys(fields) < countMarks(line, afterKey))
      throw unreadable(number, 'A key occurs twice in the line. Remove one of the two.');
    rows.push({ line: number, fields });
  }
  return { rows, lost: new LostList() };
}

const [quote, backslash] = ['"', '\\'].map((mark) => mark.charCodeAt(0));
/** Each value and key of a JSON text stands behind one of these. */
const beforeValue = new Set([',', ':', '[', '{'].map((mark) => mark.charCodeAt(0)));
const afterKey = new Set([':'.charCodeAt(0)]);

function countKeys(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + countKeys(each), 0);
  if (!isFields(value)) return 0;
  return Object.values(value).reduce<number>((sum, each) => sum + 1 + countKeys(each), 0);
}

/** How often these marks occur outside of texts. */
function countMarks(text: string, marks: ReadonlySet<number>): number {
  let count = 0;
  let isText = false;
  for (let at = 0; at < text.length; at += 1) {
    const mark = text.charCodeAt(at);
    if (mark === quote) isText = !isText;
    else if (isText && mark === backslash) at += 1;
    else if (!isText && marks.has(mark)) count += 1;
  }
  return count;
}

function parsed<Value>(parse: () => Value, line: number, messageOf: (why: string) => string): Value {
  try {
    return parse();
  } catch (cause) {
    throw unreadable(line, messageOf(cause instanceof Error ? cause.message : String(cause)));
  }
}

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

const csvOptions = {
  record_delimiter: ['\r\n', '\n', '\r'],
  skip_empty_lines: true,
  info: true,
  relax_column_count: true,
};

/** @throws UnreadableError */
export function readCsv(given: string, map: ColumnMap, budget: TokenBudget = { left: maxTokens }): Rows {
  // Excel writes a first line such as `sep=;`.
  const [, declaration = '', declared] = /^(sep=(.))\r?\n/.exec(given) ?? [];
  const delimiter = declared ?? delimiterOf(given);
  // The line stays, so that numbers of lines are right.
  const text = given.slice(declaration.length);
  refuseManyCells(text, delimiter, budget);
  // The library returns records with the position of each when it is told so.
  const [head, ...rest] = parsed(
    () => parseCsv(text, { ...csvOptions, delimiter }) as unknown as readonly CsvRecord[],
    1,
    (why) => `The CSV cannot be parsed: ${why}`,
  );
  if (head === undefined) throw unreadable(1, 'The file is empty. Its first line must name the columns.');
  const columns = head.record.map((name) => name.trim());
  const doubled = columns.find((name, at) => columns.indexOf(name) < at);
  if (doubled !== undefined)
    throw unreadable(
      head.info.lines,
      `The first line names the column \`${doubled}\` twice. Rename or remove one of them.`,
    );
  const lost = new LostList();
  const rows = rest.flatMap(({ record, info: { lines: line } }): Row[] => {
    if (record.slice(columns.length).some((cell) => cell.trim() !== '')) {
      const extra = record.length - columns.length;
      lost.add(
        line,
        'row',
        `It has ${extra} more ${extra === 1 ? 'cell' : 'cells'} than the first line, so a text would be cut. Put texts with \`${delimiter}\` into double quotes.`,
      );
      lost.leaveOut();
      return [];
    }
    const cells = record.slice(0, columns.length).map((cell, at) => [columns[at] ?? '', cell] as const);
    return [{ line, fields: Object.fromEntries(cells), isShort: cells.length < columns.length }];
  });
  return renamed({ rows, lost }, map);
}

/** What separates the names of the columns: a comma, unless the first line has more of another mark outside quotes. */
function delimiterOf(text: string): string {
  const [line = ''] = text.split(/\r?\n/, 1);
  const bare = line.replaceAll(/"[^"]*"/g, '');
  const counts = [',', ';', '\t'].map((mark) => [mark, bare.split(mark).length] as const);
  return counts.reduce((best, each) => (each[1] > best[1] ? each : best))[0];
}

const [lineFeed, carriageReturn] = ['\n', '\r'].map((mark) => mark.charCodeAt(0));

/** A doubled quote inside a quoted cell ends it and begins it again, so no cell is counted amiss. */
function refuseManyCells(text: string, delimiter: string, budget: TokenBudget): void {
  const separator = delimiter.charCodeAt(0);
  let [line, cells, records] = [1, 0, 0];
  let isQuoted = false;
  let isEmpty = true;
  for (let at = 0; at < text.length; at += 1) {
    const mark = text.charCodeAt(at);
    const endsLine = mark === lineFeed || mark === carriageReturn;
    if (mark === lineFeed) line += 1;
    if (mark === quote) isQuoted = !isQuoted;
    if (!isQuoted && endsLine) isEmpty = true;
    else if (isEmpty || (!isQuoted && mark === separator)) {
      if (isEmpty) records += 1;
      cells += isEmpty && mark === separator ? 2 : 1;
      isEmpty = false;
    }
    // The first line has the names of the columns.
    if (records > maxRecords + 1) throw tooManyRecords(line);
    if (cells > maxCells)
      throw unreadable(
        line,
        `The records up to here have more than ${maxCells} cells. Import the file in parts.`,
      );
  }
  budget.left -= cells + records;
  if (budget.left < 0) throw unreadable(line, tooManyValues);
}
