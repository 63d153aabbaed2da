/** Finds the rows of a list of values in a unique column, each by the index. */
import { type AnyColumn, type Placeholder, type SQL, sql, type Subquery } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Database } from './database.ts';
import { inList } from './conditions.ts';

interface Statement<Row> {
  prepare(name: string): { execute(values: Record<string, unknown>): Promise<Row[]> };
}

/** A query of the builder. */
interface Select<Row> extends Statement<Row> {
  limit(count: number): { as(alias: string): Subquery };
}

/**
 * For lists of values that are looked up so often that the plan matters. In a join with `inList`, Postgres scans whole
 * tables of a thousand rows.
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
