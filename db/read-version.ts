/** Reads a version of the store, which shows whether anything may have changed. */
import { sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { prepareOnce } from './prepared.ts';

/**
 * A string that changes with every commit of any process. While it stays the same, reads return the same rows. On
 * Postgres, writes to other databases of the same server change it too. Compare only versions from the same handle.
 * Writes on the reading connection are ignored; only in-memory stores read and write on the same one.
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
