/** Reads the query plans of a verb, so that a test can check that a list uses its index. */
import { Database as SqliteFile, type SQLQueryBindings } from 'bun:sqlite';
import type { Database, DatabaseSetting } from '#db/database.ts';
import { connectDirectly } from './postgres.ts';

interface RecordedQuery {
  readonly sql: string;
  readonly params: unknown[];
}

/** Drizzle logs every query that it sends, in both dialects, also those that were prepared earlier. */
interface Session {
  readonly logger: { logQuery(sql: string, params: unknown[]): void };
}

/**
 * Records the selects that `work` sends, in order, including those of searches, which have a connection of their own.
 */
export async function recordSelects(db: Database, work: () => Promise<unknown>): Promise<RecordedQuery[]> {
  const recorded: RecordedQuery[] = [];
  const original = { ...db };
  db.search = (read) => original.search((reading) => recordInto(recorded, reading, () => read(reading)));
  try {
    await recordInto(recorded, db, work);
  } finally {
    Object.assign(db, original);
  }
  if (recorded.length === 0) throw new Error('The verb has sent no select.');
  return recorded;
}

async function recordInto<T>(
  recorded: RecordedQuery[],
  { query: builder }: Database,
  work: () => Promise<T>,
): Promise<T> {
  // Drizzle does not document the session. Without it, nothing is recorded and the test fails.
  const { logger } = (builder as unknown as { session: Session }).session;
  logger.logQuery = (sql, params) => {
    if (/^\(?select/i.test(sql)) recorded.push({ sql, params });
  };
  try {
    return await work();
  } finally {
    // Restores the method of the class.
    Reflect.deleteProperty(logger, 'logQuery');
  }
}

/**
 * The plans of the selects that `work` sends. Postgres is told to avoid full scans and sorts, which it
 * prefers on small tables; those that remain would also happen on a large one.
 */
export async function plansOf(
  store: { readonly db: Database; readonly setting: DatabaseSetting },
  work: () => Promise<unknown>,
): Promise<string[]> {
  const selects = await recordSelects(store.db, work);
  switch (store.setting.kind) {
    case 'sqlite': {
      const file = new SqliteFile(store.setting.file, { readonly: true });
      const plans = selects.map(({ sql, params }) =>
        file
          .query<{ detail: string }, SQLQueryBindings[]>(`explain query plan ${sql}`)
          .all(...(params as SQLQueryBindings[]))
          .map((row) => row.detail)
          .join('\n'),
      );
      file.close();
      return plans;
    }
    case 'postgres': {
      const client = connectDirectly(store.setting.url);
      await client.unsafe(
        'set enable_seqscan = off; set enable_sort = off; set enable_bitmapscan = off; set enable_hashjoin = off',
      );
      const plans: string[] = [];
      for (const { sql, params } of selects) {
        const rows: Record<string, string>[] = await client.unsafe(`explain ${sql}`, params);
        plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
      }
      await client.close();
      return plans;
    }
  }
}

/** @returns a sort or a full scan in the plan, which no list may have; null if there is none */
export function faultOf(plan: string): string | null {
  const walked = /USE TEMP B-TREE.*|^SCAN (?!.*USING).*|Sort|Seq Scan.*/m.exec(plan);
  return walked === null ? null : walked[0];
}
