/** Tells whether anything in the store may have changed. */
import { sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { prepareOnce } from './prepare-once.ts';

/**
 * A text that is different after every commit, of any process. While it stays the same, reads return the same rows.
 * Compare only versions from the same handle. It ignores writes on the connection that reads, which is the case only
 * for stores in memory.
 */
export async function readVersion(db: Database): Promise<string> {
  const [row] = await statementOf(db).execute();
  return String(row?.version);
}

const statementOf = prepareOnce(({ dialect, query }) => {
  switch (dialect) {
    case 'sqlite':
      return query
        .select({ version: sql<number | string>`data_version` })
        .from(sql`pragma_data_version`)
        .prepare('store_version');
    // Two equal snapshots see the same transactions, because those that have ended stay ended.
    case 'postgres':
      return query
        .select({ version: sql<number | string>`snapshot` })
        .from(sql`cast(pg_current_snapshot() as text) as snapshot`)
        .prepare('store_version');
  }
});
