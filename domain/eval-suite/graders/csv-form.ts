/** Grades form alone: the reply is CSV as in RFC 4180, nothing else, with the right number of columns and a header. */
import type { Grader } from './grader.ts';
import { quote } from './quote.ts';
import { readBlock } from './read-block.ts';
import { readCsv } from './read-csv.ts';

export interface CsvFormParameters {
  readonly columns: number;
}

export const csvForm: Grader<CsvFormParameters> = {
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
