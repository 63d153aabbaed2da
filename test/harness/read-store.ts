/** All that a store holds, to show that a request has left no trace in it. */
import type { Database } from '#db/database.ts';

/** Every row of every table, in an order of its own; when tokens were last used and how often actors woke up is left out. */
export async function readStore(db: Database): Promise<Readonly<Record<string, readonly string[]>>> {
  const contents: Record<string, string[]> = {};
  for (const [name, table] of Object.entries(db.tables)) {
    const rows: object[] = await db.query.select().from(table);
    // Neither store promises an order where none is asked for.
    contents[name] = rows
      .map((row) => JSON.stringify({ ...row, lastUsedAt: undefined, epoch: undefined }))
      .toSorted();
  }
  return contents;
}
