/** Statements that run all the time are built and prepared once for each store handle. */
import type { Database } from './database.ts';

/**
 * @param prepare builds the statement, with placeholders for what changes
 * @returns the statement of a handle, prepared when it is first asked for
 */
export function prepareOnce<Prepared>(prepare: (db: Database) => Prepared): (db: Database) => Prepared {
  // A transaction is a handle of its own, so what is prepared in one goes with it.
  const statements = new WeakMap<Database, Prepared>();
  return (db) => {
    const known = statements.get(db);
    if (known !== undefined) return known;
    const prepared = prepare(db);
    statements.set(db, prepared);
    return prepared;
  };
}
