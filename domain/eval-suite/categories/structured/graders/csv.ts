/** Graders of CSV replies (RFC 4180): one for the form, one for the content. */
import { parse } from 'csv-parse/sync';
import { type Grader, quote } from '../../../graders/grader.ts';
import { maxCsvCharacters } from '../../../limits.ts';
import { readBlock } from './read-block.ts';

type CsvFormParameters = {
  readonly columns: number;
};

export const csvForm: Grader<CsvFormParameters> = {
  name: 'csv-form',
  grade({ columns }, reply) {
    const wanted = `Expected CSV with ${columns} columns and nothing else`;
    const { strict, loose } = readBlock(reply);
    const fault = findFault(columns, strict);
    if (fault === null) return { passed: true, message: `${wanted} and found it.` };
    if (findFault(columns, loose) === null) {
      return { passed: false, passedLoose: true, message: `${wanted}, found it inside a code fence.` };
    }
    return { passed: false, message: `${wanted}, found ${fault} in ${quote(strict)}.` };
  },
};

function findFault(columns: number, text: string): string | null {
  const read = readCsv(text);
  if (!read.ok) return read.reason;
  const other = read.records.find((record) => record.length !== columns);
  if (other !== undefined) return `a record of ${other.length} fields`;
  return read.records.length < 2 ? 'no record below the header' : null;
}

/** `expected` starts with the header. */
type CsvEqualsParameters = {
  readonly expected: readonly (readonly string[])[];
};

export const csvEquals: Grader<CsvEqualsParameters> = {
  name: 'csv-equals',
  grade({ expected }, reply) {
    const read = readCsv(readBlock(reply).loose);
    if (!read.ok)
      return { passed: false, message: `Expected ${expected.length} CSV records, found ${read.reason}.` };
    for (const [row, record] of expected.entries()) {
      const found = read.records[row];
      if (found === undefined) break;
      const column = record.findIndex((cell, position) => found[position] !== cell);
      if (column < 0 && found.length === record.length) continue;
      const place = `record ${row + 1}, field ${(column < 0 ? record.length : column) + 1}`;
      const wanted = column < 0 ? 'nothing' : quote(record[column] ?? '');
      return {
        passed: false,
        message: `Expected ${wanted} in ${place}, found ${quote(found[column < 0 ? record.length : column] ?? '')}.`,
      };
    }
    return {
      passed: read.records.length === expected.length,
      message: `Expected ${expected.length} CSV records, found ${read.records.length}.`,
    };
  },
};

/** The records, or why the text has none. */
export type ReadCsv =
  | { readonly ok: true; readonly records: readonly (readonly string[])[] }
  | { readonly ok: false; readonly reason: string };

export function readCsv(text: string): ReadCsv {
  if (text.trim() === '') return { ok: false, reason: 'an empty reply' };
  if (text.length > maxCsvCharacters)
    return { ok: false, reason: `${text.length} characters, far more than the table needs` };
  try {
    const records = parse(text, { record_delimiter: ['\r\n', '\n'] });
    return { ok: true, records };
  } catch (error) {
    return {
      ok: false,
      reason: error instanceof Error ? `invalid CSV: ${error.message.slice(0, 200)}` : 'invalid CSV',
    };
  }
}
