/**
 * Conditions of queries, and queries by lists. A list is one parameter, however many values it has: one prepared statement
 * then serves lists of every length, and no store's limit on parameters applies.
 */
import {
  type AnyColumn,
  type Column,
  gt,
  lte,
  type Placeholder,
  type SQL,
  sql,
  type Subquery,
} from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Database } from './database.ts';
import { type Executable, listParameter, prepareForTransactions } from './prepared.ts';

/**
 * `column in (…)`.
 * @param values the list, or a placeholder to be filled with the result of {@link listParameter}
 */
export function inList(
  { dialect }: Database,
  column: AnyColumn,
  values: Placeholder | readonly string[],
): SQL {
  // A spread array would become one parameter per value.
  const list = Array.isArray(values) ? listParameter(values) : values;
  switch (dialect) {
    case 'sqlite':
      return sql`${column} in (select value from json_each(${list}))`;
    case 'postgres':
      // The array is computed once, before the index is used. A plain subquery might be joined by scanning the table.
      return sql`${column} = any(array(select json_array_elements_text(${list}::text::json))::${sql.raw(typeOf(column))}[])`;
  }
}

/**
 * `(column, …) in ((…), …)`. The columns must be (nearly) unique, so that each entry matches one row.
 * @param columns in the order of the values in each of `rows`
 * @param rows the list, or a placeholder to be filled with the result of {@link listParameter}
 * @param condition the condition of a partial index over the columns
 */
export function inRowList(
  { dialect }: Database,
  table: PgTable & { readonly id: AnyColumn },
  columns: readonly AnyColumn[],
  rows: Placeholder | readonly (readonly string[])[],
  condition: SQL,
): SQL {
  const list = Array.isArray(rows) ? listParameter(rows) : rows;
  switch (dialect) {
    case 'sqlite': {
      const names = sql.join(
        columns.map((column) => sql`${column}`),
        sql`, `,
      );
      const values = sql.raw(columns.map((_, index) => `value ->> ${index}`).join(', '));
      return sql`(${names}) in (select ${values} from json_each(${list})) and ${condition}`;
    }
    case 'postgres': {
      const matches = sql.join(
        columns.map(
          (column, index) => sql`${column} = (wanted ->> ${sql.raw(`${index})::${typeOf(column)}`)}`,
        ),
        sql` and `,
      );
      // Without statistics Postgres expects many matches and prefers to scan the whole table. A lateral subquery with
      // a limit makes it look each entry up in the index.
      return sql`${table.id} = any(array(select found.id from json_array_elements(${list}::text::json) as list(wanted) cross join lateral (select ${table.id} from ${table} where ${matches} and ${condition} limit 1) as found))`;
    }
  }
}

interface Statement<Row> {
  prepare(name: string): { execute(values: Record<string, unknown>): Promise<Row[]> };
}

/** A query of the builder. */
interface Select<Row> extends Statement<Row> {
  limit(count: number): { as(alias: string): Subquery };
}

/**
 * Finds the rows of a list of values in a unique column, each by the index: for lists that are looked up so often that the
 * plan matters. In a join with `inList`, Postgres scans whole tables of a thousand rows.
 * @param list to be filled with the result of `listParameter`
 * @param select makes the query. It must not select two columns of the same name.
 */
export function lookUpEach<Row>(
  db: Database,
  column: AnyColumn,
  list: Placeholder,
  select: (isWanted: SQL) => Select<Row>,
): Statement<Row> {
  switch (db.dialect) {
    case 'sqlite':
      return select(inList(db, column, list));
    case 'postgres': {
      const found = select(sql`${column} = wanted`)
        .limit(1)
        .as('found');
      const rows: unknown = db.query
        .select(fieldsOf(found))
        .from(sql`json_array_elements_text(${list}::text::json) as list(wanted)`)
        .crossJoinLateral(found);
      // It selects the fields of `select`.
      return rows as Statement<Row>;
    }
  }
}

function fieldsOf(found: Subquery): Record<string, PgColumn> {
  // The builder offers each field of a subquery under its name.
  const fields = found as unknown as Readonly<Record<string, PgColumn>>;
  const names = Object.keys(found._.selectedFields);
  return Object.fromEntries(names.map((name) => [name, fields[name]])) as Record<string, PgColumn>;
}

/** A query of the query builder that selects rows. */
interface ListQuery<Row> {
  prepare(
    name: string,
  ): Pick<Executable, 'getQuery'> & { execute(values?: Record<string, unknown>): Promise<Row[]> };
}

/**
 * A query by a list, which is sent as one parameter, for transactions.
 * @param build must use the list and no other parameter
 * @returns a function that sends the statement before it returns, and none if the list is empty
 */
export function selectStatement<Row>(
  build: (db: Database, list: Placeholder) => ListQuery<Row>,
): (db: Database, items: readonly (string | readonly string[])[]) => Promise<Row[]> {
  const prepared = prepareForTransactions((db) => build(db, sql.placeholder('list')).prepare('select_rows'));
  return async (db, items) =>
    items.length === 0 ? [] : prepared(db).execute({ list: listParameter(items) });
}

/** The column's type for a cast, which takes no collation. */
function typeOf(column: AnyColumn): string {
  return column.getSQLType().replace(/ collate .*$/, '');
}

/**
 * Whether an instant is in the window that ends now. A row from the time after now was written while the clock was
 * ahead, and must not count until then.
 */
export function isWithin(column: Column, since: Date | Placeholder, now: Date | Placeholder): SQL {
  return sql`(${gt(column, sql.param(since, column))} and ${lte(column, sql.param(now, column))})`;
}
