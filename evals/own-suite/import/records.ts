/** Reads the records of data sets: CSV, a JSON array, or one JSON object a line. They are counted before they are made. */
import { parse as parseCsv } from 'csv-parse/sync';
import { parseExactJson } from '../exact-json.ts';
import { maxTokens } from '../limits.ts';
import { readDocument } from '../read-document.ts';
import { type Fields, type Import, isFields } from './imported.ts';

/** A suite has fewer cases, but some records may have no counterpart. */
const maxRecords = 10_000;
const maxCells = 200_000;

/** One record of a data set with the line where it begins. */
interface Row {
  readonly line: number;
  readonly fields: Fields;
  /** By how many cells a row of CSV exceeds the header; below 0 if it has fewer. */
  readonly extraCells?: number;
}

type Refused = Extract<Import, { ok: false }>;
type Rows = { readonly ok: true; readonly rows: readonly Row[] } | Refused;

export function fault(line: number, message: string): Refused {
  return { ok: false, faults: [{ line, column: 1, message }] };
}

const tooManyRecords = (line: number) =>
  fault(line, `The file has more than ${maxRecords} records. Import it in parts.`);

/** A JSON array, or one JSON object a line. */
export function readRecords(text: string): Rows {
  return text.trimStart().startsWith('[') ? readArray(text) : readLines(text);
}

function readArray(text: string): Rows {
  const read = readDocument(text, 'json');
  if (!read.ok) return read;
  const list: readonly unknown[] = Array.isArray(read.value) ? read.value : [];
  if (list.length > maxRecords) return tooManyRecords(read.locate([maxRecords]).line);
  const rows: Row[] = [];
  for (const [at, fields] of list.entries()) {
    const { line } = read.locate([at]);
    if (!isFields(fields)) return fault(line, 'Each record must be an object.');
    rows.push({ line, fields });
  }
  return { ok: true, rows };
}

function readLines(text: string): Rows {
  const rows: Row[] = [];
  let valuesLeft = maxTokens;
  let number = 0;
  for (let start = 0; start <= text.length;) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    const line = text.slice(start, end);
    start = end + 1;
    number += 1;
    if (line.trim() === '') continue;
    if (rows.length >= maxRecords) return tooManyRecords(number);
    valuesLeft -= countValues(line);
    if (valuesLeft < 0)
      return fault(
        number,
        `The records up to here have more than ${maxTokens} values. Import the file in parts.`,
      );
    try {
      const fields: unknown = parseExactJson(line);
      if (!isFields(fields)) return fault(number, 'Each line must be a JSON object.');
      rows.push({ line: number, fields });
    } catch {
      return fault(number, 'Each line must be JSON; this one cannot be parsed.');
    }
  }
  return { ok: true, rows };
}

const [quote, backslash] = ['"', '\\'].map((mark) => mark.charCodeAt(0));
const beforeValue = new Set([',', ':', '[', '{'].map((mark) => mark.charCodeAt(0)));

/** How many values and keys a JSON text has at most. */
function countValues(text: string): number {
  let count = 1;
  let isText = false;
  for (let at = 0; at < text.length; at += 1) {
    const mark = text.charCodeAt(at);
    if (mark === quote) isText = !isText;
    else if (isText && mark === backslash) at += 1;
    else if (!isText && beforeValue.has(mark)) count += 1;
  }
  return count;
}

export function readCsv(text: string): Rows {
  const tooLarge = refuseManyCells(text);
  if (tooLarge !== null) return tooLarge;
  try {
    // The library returns records with the position of each when it is told so.
    const records = parseCsv(text, {
      bom: true,
      skip_empty_lines: true,
      info: true,
      // A row with other cells than the header is counted as lost; it stops no other.
      relax_column_count: true,
    }) as unknown as readonly { record: readonly string[]; info: { lines: number } }[];
    const [header, ...rows] = records;
    const columns = header?.record ?? [];
    const twice = columns.find((name, at) => columns.indexOf(name) !== at);
    if (twice !== undefined)
      return fault(1, `The first line names the column \`${twice}\` twice. Rename or remove one of them.`);
    return {
      ok: true,
      rows: rows.map(({ record, info }) => ({
        line: info.lines,
        fields: Object.fromEntries(columns.slice(0, record.length).map((name, at) => [name, record[at]])),
        extraCells: record.length - columns.length,
      })),
    };
  } catch (cause) {
    return fault(1, `The CSV cannot be parsed: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

const [comma, lineFeed, carriageReturn] = [',', '\n', '\r'].map((mark) => mark.charCodeAt(0));

/** A doubled quote inside a quoted cell ends it and begins it again, so no cell is counted amiss. */
function refuseManyCells(text: string): Refused | null {
  let [line, cells, records] = [1, 0, 0];
  let isQuoted = false;
  let isEmpty = true;
  for (let at = 0; at < text.length; at += 1) {
    const mark = text.charCodeAt(at);
    const endsLine = mark === lineFeed || mark === carriageReturn;
    if (mark === lineFeed) line += 1;
    if (mark === quote) isQuoted = !isQuoted;
    if (!isQuoted && endsLine) isEmpty = true;
    else if (isEmpty || (!isQuoted && mark === comma)) {
      if (isEmpty) records += 1;
      cells += isEmpty && mark === comma ? 2 : 1;
      isEmpty = false;
    }
    // The first line has the names of the columns.
    if (records > maxRecords + 1) return tooManyRecords(line);
    if (cells > maxCells)
      return fault(
        line,
        `The records up to here have more than ${maxCells} cells. Import the file in parts.`,
      );
  }
  return null;
}
