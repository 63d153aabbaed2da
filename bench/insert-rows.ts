/** Inserts the rows that a measure needs, table by table. */
import type { Database } from '#db/database.ts';
import { type InsertedRow, insertStatement } from '#db/insert-statement.ts';
import type { Tables } from '#db/schema/make-schema.ts';

/** In the order of the insertions: referenced tables come first. */
const tableNames = [
  'agents',
  'bearerTokens',
  'redemptions',
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
  'reputationCounts',
  'skills',
  'skillVersions',
  'workOrders',
  'workOrderEvents',
  'inboxEmails',
] as const satisfies readonly (keyof Tables)[];
type TableName = (typeof tableNames)[number];
/** Their row numbers are generated. */
type WordsTableName = 'agentWords' | 'threadWords';

export type BenchRows = { readonly [Name in TableName]?: InsertedRow<Name>[] } & {
  readonly [Name in WordsTableName]?: Tables[Name]['$inferInsert'][];
};

/** Call it in a transaction. */
export async function insertRows(db: Database, rows: BenchRows): Promise<void> {
  for (const name of tableNames) await insertInto(db, name, rows);
  if (rows.agentWords !== undefined) await db.query.insert(db.tables.agentWords).values(rows.agentWords);
  if (rows.threadWords !== undefined) await db.query.insert(db.tables.threadWords).values(rows.threadWords);
}

async function insertInto<Name extends TableName>(
  db: Database,
  name: Name,
  rows: { readonly [Each in Name]?: InsertedRow<Each>[] },
): Promise<void> {
  await insertStatement(name)(db, rows[name] ?? []);
}
