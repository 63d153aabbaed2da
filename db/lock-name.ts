/**
 * Lets transactions that have agreed on a name pass one at a time, where there is no row to lock: Postgres keeps such
 * locks by number; a SQLite transaction holds the whole file from its first statement.
 */
import { sql } from 'drizzle-orm';
import type { Transaction } from './database.ts';

/** Holds `name` until the transaction ends. Two names may share a number, which costs a wait and nothing else. */
export async function lockName(tx: Transaction, name: string): Promise<void> {
  switch (tx.dialect) {
    case 'sqlite':
      return;
    case 'postgres':
      await tx.query.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
  }
}
