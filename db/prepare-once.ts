/** Builds and prepares a frequent statement once per store handle. */
import type { Database } from './database.ts';

/**
 * @param prepare builds the statement, with placeholders for its values
 * @returns a function that prepares the statement of a handle on first use
 */
export function prepareOnce<Prepared>(prepare: (db: Database) => Prepared): (db: Database) => Prepared {
  // A transaction is a handle of its own, so its statements are dropped with it.
  const statements = new WeakMap<Database, Prepared>();
  return (db) => {
    const known = statements.get(db);
    if (known !== undefined) return known;
    const prepared = prepare(db);
    statements.set(db, prepared);
    return prepared;
  };
}
