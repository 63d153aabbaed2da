/** Inserts the rows that a measure needs, table by table. */
import type { Database } from '#db/database.ts';
import { type InsertedRow, insertStatement } from '#db/prepared.ts';
import type { Tables } from '#db/schema/make-schema.ts';

type TableName = Exclude<keyof Tables, 'searchWords'>;
type RowsOf<Name extends TableName> = { readonly [Each in Name]?: InsertedRow<Each>[] };

/** In the order of the insertions: referenced tables come first. */
export type BenchRows = RowsOf<TableName> & {
  /** Their row numbers are generated. */
  readonly searchWords?: Tables['searchWords']['$inferInsert'][];
};

/** Call it in a transaction. */
export async function insertRows(db: Database, { searchWords, ...rows }: BenchRows): Promise<void> {
  // A table of the type, since these are all of its properties.
  for (const name of Object.keys(rows) as TableName[]) await insertInto(db, name, rows);
  if (searchWords !== undefined) await db.query.insert(db.tables.searchWords).values(searchWords);
}

async function insertInto<Name extends TableName>(
  db: Database,
  name: Name,
  rows: RowsOf<Name>,
): Promise<void> {
  await insertStatement(name)(db, rows[name] ?? []);
}
