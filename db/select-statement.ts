/**
 * A frequent query for whole rows of one table by a list, which is sent as one parameter. Its SQL is built once instead
 * of at each call.
 */
import { getTableColumns, type Placeholder, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Database, QueryBuilder } from './database.ts';
import { listParameter } from './in-list.ts';
import type { Tables } from './schema/make-schema.ts';
import { withRowReader } from './row-reader.ts';
import { sendStatement } from './send-statement.ts';

type RowOf<Name extends keyof Tables> = Tables[Name]['$inferSelect'];

/** A list of values, or of rows of values. */
export type ListItems = readonly (string | readonly string[])[];

/** Returns no rows, without a query, if the list is empty. */
export type SelectRows<Row> = (db: Database, items: ListItems) => Promise<Row[]>;

/** What a query builder returns for `select().from(table)…`. */
interface Statement<Row> {
  toSQL(): { sql: string; params: unknown[] };
  prepare(name: string): { execute(values: { list: string }): Promise<Row[]> };
}

/** @param build must use the list and no other parameter */
export function selectStatement<Name extends keyof Tables>(
  name: Name,
  build: (db: Database, list: Placeholder) => Statement<RowOf<Name>>,
): SelectRows<RowOf<Name>> {
  // All transactions of a SQLite store use one connection, where the statement stays prepared.
  const prepared = new WeakMap<QueryBuilder, ReturnType<Statement<RowOf<Name>>['prepare']>>();
  let onPostgres: { readonly text: string; readonly read: (row: unknown) => RowOf<Name> } | undefined;

  return async (db, items) => {
    if (items.length === 0) return [];
    const list = listParameter(items);
    switch (db.dialect) {
      case 'sqlite': {
        const statement =
          prepared.get(db.query) ?? withRowReader(build(db, sql.placeholder('list')).prepare('select_rows'));
        prepared.set(db.query, statement);
        return statement.execute({ list });
      }
      case 'postgres': {
        // Each transaction has its own query builder, but the driver recognizes the text on every connection.
        onPostgres ??= {
          text: textOf(build(db, sql.placeholder('list')).toSQL()),
          read: readerOf(getTableColumns(db.tables[name]) as Record<string, PgColumn>) as (
            row: unknown,
          ) => RowOf<Name>, // It reads every column of the table.
        };
        const { text, read } = onPostgres;
        const rows = await sendStatement(db.query, text, [list]);
        return rows.map((row) => read(row));
      }
    }
  };
}

function textOf({ sql: text, params }: { sql: string; params: unknown[] }): string {
  if (params.length !== 1) throw new Error(`The list must be the only parameter: ${text}`);
  return text;
}

function readerOf(columns: Readonly<Record<string, PgColumn>>): (row: unknown) => Record<string, unknown> {
  const fields = Object.entries(columns);
  return (row) => {
    const found = row as Readonly<Record<string, unknown>>; // Selected as an object, by the names of the columns.
    const read: Record<string, unknown> = {};
    for (const [field, column] of fields) {
      const value = found[column.name] ?? null;
      read[field] = value === null ? null : column.mapFromDriverValue(value);
    }
    return read;
  };
}
