import { eq, isNull, ne, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Database } from '#db/database.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { LedgerEntryKind } from '#db/schema/token-tables.ts';

/** The form of an audit check, and the most common kinds. */
export interface AuditCheck {
  readonly name: string;
  readonly promise: string;
  /** @param now null for a copy of a store, where nothing has worked since */
  find(db: Database, limit: number, now: Date | null): Promise<Drift[]>;
}

/** Compares a stored total with the rows that it sums up. */
export function totals(name: string, promise: string, compare: (tables: Tables) => Comparison): AuditCheck {
  return { name, promise, find: (db, limit) => findDrift(db, compare(db.tables), limit) };
}

/** Compares an amount with the sum of the ledger entries of one kind whose reference is the id of its row. */
export function inLedger(
  name: string,
  promise: string,
  kind: LedgerEntryKind,
  compare: (tables: Tables) => Pick<Comparison, 'id' | 'kept'>,
): AuditCheck {
  return totals(name, promise, (tables) => {
    const { amount, kind: kindOf, reference } = tables.tokenEntries;
    const counted = kind === 'spend' ? sql`-sum(${amount})` : sql`sum(${amount})`;
    return { ...compare(tables), rowId: reference, counted, where: eq(kindOf, kind) };
  });
}

/**
 * Finds rows that refer to a missing one, where Postgres does not enforce the reference.
 * @param of the id of the referring row, its referring column, and the referenced column
 */
export function reference(
  name: string,
  promise: string,
  of: (tables: Tables) => readonly [id: PgColumn, column: PgColumn, referenced: PgColumn],
): AuditCheck {
  return {
    name,
    promise,
    find: ({ query, tables }, limit) => {
      const [id, column, referenced] = of(tables);
      // One row should exist; none was found.
      return query
        .select({
          subject: sql`${id}`.mapWith(String),
          kept: sql`1`.mapWith(Number),
          found: sql`0`.mapWith(Number),
        })
        .from(id.table)
        .leftJoin(referenced.table, eq(referenced, column))
        .where(isNull(referenced))
        .limit(limit);
    },
  };
}

/** A stored value that differs from what the rows say. */
export interface Drift {
  /** Id of the account, event, thread, job and so on. */
  readonly subject: string;
  readonly kept: number | string;
  readonly found: number | string;
}

interface Comparison {
  /** Matches `rowId` in the other table, perhaps as text. */
  readonly id: PgColumn;
  readonly kept: PgColumn | SQL;
  readonly rowId: PgColumn;
  /** An aggregate over the rows with the same id; 0 if there are none. */
  readonly counted: SQL;
  readonly where?: SQL;
}

/** Compares a stored total with the same total computed from the rows of another table. */
async function findDrift(db: Database, comparison: Comparison, limit: number): Promise<Drift[]> {
  const { id, kept, rowId, counted, where } = comparison;
  const key = id.getSQLType() === rowId.getSQLType() ? sql`${id}` : sql`cast(${id} as text)`;
  const sums = db.query
    .select({
      id: sql<string>`${rowId}`.as('counted_id'),
      value: sql<number>`${counted}`.as('counted_value'),
    })
    .from(rowId.table)
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
    .from(id.table)
    .leftJoin(sums, eq(key, sums.id))
    .where(ne(sql`${kept}`, found))
    .limit(limit);
}
