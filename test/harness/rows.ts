/** Reads and changes rows of a store by the values that they have, for tests of what a verb leaves there. */
import { and, asc, eq, getTableColumns, isNull } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Database, Transaction } from '#db/database.ts';

type Tables = Database['tables'];
export type TableName = keyof Tables;
export type Row<Name extends TableName> = Tables[Name]['$inferSelect'];
type Store = { readonly db: Database };

/** In the order of their ids, if they have any: the oldest first. */
export async function rowsOf<Name extends TableName>(
  { db }: Store,
  name: Name,
  values: Partial<Row<Name>> = {},
): Promise<Row<Name>[]> {
  const table: PgTable = db.tables[name];
  const found = db.query.select().from(table).where(having(table, values));
  const { id } = columnsOf(table);
  return (await (id === undefined ? found : found.orderBy(asc(id)))) as Row<Name>[]; // Of the table with that name.
}

export async function rowOf<Name extends TableName>(
  store: Store,
  name: Name,
  values: Partial<Row<Name>>,
): Promise<Row<Name>> {
  const [row] = await rowsOf(store, name, values);
  if (row === undefined) throw new Error(`No row of ${name} has ${JSON.stringify(values)}.`);
  return row;
}

/** The job whose payload has this id. */
export async function jobAbout(store: Store, name: 'runId' | 'deliveryId', id: string): Promise<Row<'jobs'>> {
  const row = (await rowsOf(store, 'jobs')).find(({ payload }) => Reflect.get(Object(payload), name) === id);
  if (row === undefined) throw new Error(`No job has the ${name} ${id}.`);
  return row;
}

/** Sets columns of the rows that have these values. */
export async function changeRows<Name extends TableName>(
  { db }: Store,
  name: Name,
  values: Partial<Row<Name>>,
  changes: Partial<Row<Name>>,
): Promise<void> {
  await db.transaction((tx) => changeRowsIn(tx, name, values, changes));
}

/** The same, in a transaction of the caller. */
export async function changeRowsIn<Name extends TableName>(
  { query, tables }: Transaction,
  name: Name,
  values: Partial<Row<Name>>,
  changes: Partial<Row<Name>>,
): Promise<void> {
  const table: PgTable = tables[name];
  await query.update(table).set(changes).where(having(table, values));
}

const columnsOf = (table: PgTable): Readonly<Record<string, PgColumn | undefined>> => getTableColumns(table);

function having(table: PgTable, values: object) {
  const columns = columnsOf(table);
  return and(
    ...Object.entries(values).map(([name, value]) => {
      const column = columns[name];
      if (column === undefined) throw new Error(`There is no column ${name}.`);
      return value === null ? isNull(column) : eq(column, value);
    }),
  );
}
