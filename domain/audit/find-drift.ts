import { type Column, eq, ne, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Database } from '#db/database.ts';
import type { Tables } from '#db/schema/make-schema.ts';

/** The form of an audit check, and the most common kind. */
export interface AuditCheck {
  readonly name: string;
  readonly promise: string;
  find(db: Database, limit: number): Promise<Drift[]>;
}

/** Compares a stored total with the rows that it sums up. */
export function totals(name: string, promise: string, compare: (tables: Tables) => Comparison): AuditCheck {
  return { name, promise, find: (db, limit) => findDrift(db, compare(db.tables), limit) };
}

/** An id as the ledger stores it in `reference`. */
export function asText(id: PgColumn): SQL {
  return sql`cast(${id} as text)`;
}

/** A stored value that differs from what the rows say. */
export interface Drift {
  /** Id of the account, event, thread, job and so on. */
  readonly subject: string;
  readonly kept: number | string;
  readonly found: number | string;
}

interface Comparison {
  readonly table: PgTable;
  /** Matches `rowId` in the other table. */
  readonly id: Column | SQL;
  readonly kept: Column | SQL;
  readonly rows: PgTable;
  readonly rowId: Column | SQL;
  /** An aggregate over the rows with the same id; 0 if there are none. */
  readonly counted: SQL;
  readonly where?: SQL;
}

/** Compares a stored total with the same total computed from the rows of another table. */
async function findDrift(db: Database, comparison: Comparison, limit: number): Promise<Drift[]> {
  const { table, id, kept, rows, rowId, counted, where } = comparison;
  const sums = db.query
    .select({
      id: sql<string>`${rowId}`.as('counted_id'),
      value: sql<number>`${counted}`.as('counted_value'),
    })
    .from(rows)
    .where(where)
    .groupBy(sql`counted_id`)
    .as('counted');
  const found = sql`coalesce(${sums.value}, 0)`;
  return db.query
    .select({
      subject: sql`${id}`.mapWith(String),
      kept: sql`${kept}`.mapWith(Number),
      found: found.mapWith(Number),
    })
    .from(table)
    .leftJoin(sums, eq(sql`${id}`, sums.id))
    .where(ne(sql`${kept}`, found))
    .limit(limit);
}
