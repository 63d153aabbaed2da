/** Builds and prepares a frequent statement once per store handle. */
import type { Database, QueryBuilder } from './database.ts';
import { withRowReader } from './row-reader.ts';
import { clientOf } from './send-statement.ts';

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
    const prepared = withRowReader(prepare(db));
    statements.set(db, prepared);
    return prepared;
  };
}

/**
 * Like `prepareOnce`, for statements in transactions, each of which has its own handle. On Postgres, one statement
 * serves all handles.
 * @param prepare returns a prepared query of the query builder
 */
export function prepareForTransactions<Prepared extends object>(
  prepare: (db: Database) => Prepared,
): (db: Database) => Prepared {
  // All transactions of a SQLite store use one connection, where the statement stays prepared.
  const onSqlite = new WeakMap<QueryBuilder, Prepared>();
  let onPostgres: Prepared | undefined;
  return (db) => {
    switch (db.dialect) {
      case 'sqlite': {
        const prepared = onSqlite.get(db.query) ?? withRowReader(prepare(db));
        onSqlite.set(db.query, prepared);
        return prepared;
      }
      case 'postgres':
        // The driver recognizes the text on every connection, so only the client differs.
        onPostgres ??= withRowReader(prepare(db));
        return Object.create(onPostgres, { client: { value: clientOf(db.query) } }) as Prepared;
    }
  };
}
