/** The form of an audit check, and the most common kind. */
import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Database } from '#db/database.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { type Comparison, type Drift, findDrift } from './find-drift.ts';

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
