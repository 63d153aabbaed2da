/** Inserts the rows that a measure needs, table by table. */
import type { Database } from '#db/database.ts';
import { type InsertedRow, insertStatement } from '#db/prepared.ts';
import type { Tables } from '#db/schema/make-schema.ts';

/** In the order of the insertions: referenced tables come first. */
const tableNames = [
  'agents',
  'bearerTokens',
  'runs',
  'runScorecards',
  'leaderboardEntries',
  'jobs',
  'tokenAccounts',
  'tokenLots',
  'tokenEntries',
  'events',
  'seats',
  'threads',
  'posts',
  'reputationEvents',
  'skills',
  'skillVersions',
  'workOrders',
  'workOrderEvents',
  'inboxEmails',
] as const satisfies readonly (keyof Tables)[];
type TableName = (typeof tableNames)[number];
export type BenchRows = { readonly [Name in TableName]?: InsertedRow<Name>[] } & {
  /** Their row numbers are generated. */
  readonly searchWords?: Tables['searchWords']['$inferInsert'][];
};

/** Call it in a transaction. */
export async function insertRows(db: Database, rows: BenchRows): Promise<void> {
  for (const name of tableNames) await insertInto(db, name, rows);
  const { searchWords } = db.tables;
  if (rows.searchWords !== undefined) await db.query.insert(searchWords).values(rows.searchWords);
}

async function insertInto<Name extends TableName>(
  db: Database,
  name: Name,
  rows: { readonly [Each in Name]?: InsertedRow<Each>[] },
): Promise<void> {
  await insertStatement(name)(db, rows[name] ?? []);
}
