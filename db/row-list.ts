/**
 * Rows by several columns at once, any number of them by one parameter, so that a prepared statement serves lists of
 * every length. The columns are those of a unique index, or nearly so: one row is found for each in the list.
 */
import { type AnyColumn, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Dialect } from './database.ts';

export interface RowListColumn {
  readonly column: AnyColumn;
  /** Its type on Postgres. */
  readonly type: 'uuid' | 'text';
}

/**
 * The condition that a row of `table` is one of those found.
 * @param columns in the order of the values in each of `rows`
 * @param condition that of a partial index over the columns
 */
export function inRowList(
  dialect: Dialect,
  table: PgTable & { readonly id: AnyColumn },
  columns: readonly RowListColumn[],
  rows: readonly (readonly string[])[],
  condition: SQL,
): SQL {
  const list = JSON.stringify(rows);
  switch (dialect) {
    case 'sqlite': {
      const names = sql.join(
        columns.map(({ column }) => sql`${column}`),
        sql`, `,
      );
      const values = sql.raw(columns.map((_, index) => `value ->> ${index}`).join(', '));
      return sql`(${names}) in (select ${values} from json_each(${list})) and ${condition}`;
    }
    case 'postgres': {
      const matches = sql.join(
        columns.map(
          ({ column, type }, index) => sql`${column} = (wanted ->> ${sql.raw(`${index})::${type}`)}`,
        ),
        sql` and `,
      );
      // Postgres guesses that many rows are wanted of a table that it has not counted yet, and would rather read the
      // whole of it; of a subquery with a limit for each it makes look-ups in the index.
      return sql`${table.id} = any(array(select found.id from json_array_elements(${list}::text::json) as list(wanted) cross join lateral (select ${table.id} from ${table} where ${matches} and ${condition} limit 1) as found))`;
    }
  }
}
