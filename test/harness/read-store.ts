/** Reads a whole store, to show that a request left no trace. */
import type { Database } from '#db/database.ts';

/**
 * Every row of every table, sorted, without the last use of tokens, the epochs of actors and the counts of bytes, which
 * repeats raise.
 */
export async function readStore(db: Database): Promise<Readonly<Record<string, readonly string[]>>> {
  const contents: Record<string, string[]> = {};
  for (const [name, table] of Object.entries(db.tables)) {
    const counted = name === 'storedBytes' ? { bytes: undefined } : {};
    const rows: object[] = await db.query.select().from(table);
    // Without `order by`, neither store guarantees an order.
    contents[name] = rows
      .map((row) => JSON.stringify({ ...row, lastUsedAt: undefined, epoch: undefined, ...counted }))
      .toSorted();
  }
  return contents;
}
