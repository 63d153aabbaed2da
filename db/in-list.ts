/**
 * `column in (…)` with any number of values as one parameter, so that a prepared statement serves lists of every
 * length and no store's limit on parameters is met.
 */
import { type AnyColumn, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { Dialect } from './database.ts';

/**
 * @param values a placeholder, or the list; what a placeholder is filled with comes from {@link listParameter}
 * @param type the type of the column on Postgres
 */
export function inList(
  dialect: Dialect,
  column: AnyColumn,
  values: Placeholder | readonly string[],
  type: 'text' | 'uuid' = 'text',
): SQL {
  // A spread array would become one parameter each; the values travel as one JSON text instead.
  const list = Array.isArray(values) ? listParameter(values) : values;
  switch (dialect) {
    case 'sqlite':
      return sql`${column} in (select value from json_each(${list}))`;
    case 'postgres':
      // The array is made once, before the index is asked; a plain subquery might be joined by scanning the table.
      return sql`${column} = any(array(select json_array_elements_text(${list}::text::json))::${sql.raw(type)}[])`;
  }
}

/** The one parameter that stands for a whole list. */
export function listParameter(values: readonly string[]): string {
  return JSON.stringify(values);
}
