/** Grades the content of a CSV reply: header and records, cell by cell and in order. Quoting that RFC 4180 allows is let by. */
import type { Grader } from './grader.ts';
import { quote } from './quote.ts';
import { readBlock } from './read-block.ts';
import { readCsv } from './read-csv.ts';

/** `expected` holds the header first. */
export interface CsvEqualsParameters {
  readonly expected: readonly (readonly string[])[];
}

export const csvEquals: Grader<CsvEqualsParameters> = {
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
