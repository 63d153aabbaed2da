/** Parses CSV strictly as RFC 4180 describes it: quotes only around whole fields, doubled inside, every record equally long. */
import { parse } from 'csv-parse/sync';
import { maxCsvCharacters } from '../limits.ts';

/** The records, or why there are none. */
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
      reason: error instanceof Error ? `a fault: ${error.message.slice(0, 200)}` : 'a fault',
    };
  }
}
