/** Counts the bytes that a transaction gives to `insert` and `update`, so that what strangers store can be bounded. */
import type { QueryBuilder, Written } from './database.ts';

/** What a row takes besides its values: its header, and its places in indexes. */
const bytesPerStatement = 100;

/** Ids, hashes and instants are shorter. */
const textsFromCharacters = 65;

export class WrittenBytes implements Written {
  bytes = 0;
  textBytes = 0;

  reset(): void {
    this.bytes = 0;
    this.textBytes = 0;
  }

  /** Drizzle calls it with each statement that it sends, and its parameters as the driver gets them. */
  logQuery(text: string, parameters: readonly unknown[]): void {
    if (!/^(insert|update)/.test(text)) return;
    this.bytes += bytesPerStatement;
    // What an update looks for is stored already.
    const stored = text.startsWith('update') ? parameters.slice(0, settingParameters(text)) : parameters;
    for (const value of stored) {
      const size = typeof value === 'string' ? Buffer.byteLength(value) : 8;
      this.bytes += size;
      if (typeof value === 'string' && value.length >= textsFromCharacters) this.textBytes += size;
    }
  }
}

/** How many parameters of an update stand before its condition. */
function settingParameters(text: string): number {
  const [setting = ''] = text.split(' where ', 1);
  return setting.match(/\$\d+|\?/g)?.length ?? 0;
}

export const nothingWritten: Written = { bytes: 0, textBytes: 0 };

const counts = new WeakMap<QueryBuilder, WrittenBytes>();

export function countWritten(query: QueryBuilder, written: WrittenBytes): void {
  counts.set(query, written);
}

/** The count of the transaction behind the query builder; undefined outside transactions. */
export function writtenBy(query: QueryBuilder): WrittenBytes | undefined {
  return counts.get(query);
}
