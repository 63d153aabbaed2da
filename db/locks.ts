/**
 * Locks inside a transaction. SQLite needs none: one of its transactions holds the whole file from the first statement.
 */
import { sql } from 'drizzle-orm';
import type { Database, Transaction } from './database.ts';

/** A select whose rows Postgres can lock. */
interface LockableSelect<Locked> {
  for(strength: 'update' | 'no key update' | 'key share'): Locked;
}

/**
 * Locks the rows of `select` until the transaction ends. Order the select, so that all transactions lock in one order.
 */
export function lockRows<Query extends LockableSelect<unknown>>(db: Database, select: Query): Query {
  switch (db.dialect) {
    case 'sqlite':
      return select;
    case 'postgres':
      select.for('update'); // Drizzle changes the select in place.
      return select;
  }
}

/**
 * Like `lockRows`, but other transactions may insert rows that refer to these. For a transaction that has inserted such
 * rows itself: with `lockRows`, two of them would deadlock.
 */
export function lockReferencedRows<Query extends LockableSelect<unknown>>(
  db: Database,
  select: Query,
): Query {
  if (db.dialect === 'postgres') select.for('no key update'); // Drizzle changes the select in place.
  return select;
}

/**
 * Like `lockRows`, but only prevents others from deleting the rows or locking them with it. Many transactions may share
 * this lock.
 */
export function shareRows<Query extends LockableSelect<unknown>>(db: Database, select: Query): Query {
  if (db.dialect === 'postgres') select.for('key share'); // Drizzle changes the select in place.
  return select;
}

/**
 * Holds `name` until the transaction ends, where there is no row to lock. Postgres identifies the lock by a hash, so
 * two names may share one. That costs a wait and nothing else.
 */
export async function lockName(tx: Transaction, name: string): Promise<void> {
  switch (tx.dialect) {
    case 'sqlite':
      return;
    case 'postgres':
      await tx.query.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
  }
}

const postgresTransactionsMax = 3;

/** How many transactions of one process are worth running at the same time: SQLite has one writer. */
export function concurrentTransactionsMax({ dialect }: Database): number {
  switch (dialect) {
    case 'sqlite':
      return 1;
    case 'postgres':
      return postgresTransactionsMax;
  }
}
