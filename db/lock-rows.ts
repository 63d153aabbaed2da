/** Row locks: Postgres takes them with `FOR UPDATE`; a SQLite transaction holds the whole file from its first statement. */
import type { Database } from './database.ts';

/** A select that Postgres can lock the rows of. */
interface LockableSelect<Locked> {
  for(strength: 'update'): Locked;
}

/** Locks the rows that `select` finds until the transaction ends. Order the select, so that two transactions lock alike. */
export function lockRows<Query extends LockableSelect<unknown>>(db: Database, select: Query): Query {
  switch (db.dialect) {
    case 'sqlite':
      return select;
    case 'postgres':
      select.for('update'); // Drizzle's select builder is changed in place.
      return select;
  }
}
