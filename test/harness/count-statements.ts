/**
 * Counts the statements that a part of a transaction sends to its store. Import it before a store is opened.
 */
import { Database as SqliteFile } from 'bun:sqlite';
import type { Transaction } from '#db/database.ts';

/** Every Drizzle query of a Postgres transaction passes through it when it runs. */
interface Session {
  prepareQuery(...words: unknown[]): unknown;
}

type Method = (...parameters: unknown[]) => unknown;

let sent = 0;

function counted(method: Method): Method {
  return function (this: unknown, ...parameters) {
    sent += 1;
    return Reflect.apply(method, this, parameters);
  };
}

// SQLite prepares a statement once and runs it often, so runs are counted.
const prepare = Reflect.get(SqliteFile.prototype, 'prepare') as Method;
Reflect.set(SqliteFile.prototype, 'prepare', function (this: SqliteFile, ...words: unknown[]) {
  const statement = Reflect.apply(prepare, this, words) as Record<string, Method>;
  for (const name of ['run', 'get', 'all', 'values']) statement[name] = counted(statement[name]!);
  return statement;
});

/**
 * Counts round trips to Postgres. Statements sent before the first response arrives share one. SQLite has no
 * round trips.
 */
export async function countWays(tx: Transaction, work: () => Promise<unknown>): Promise<number> {
  const { session } = tx.query as unknown as { session: Session };
  const prepareQuery = session.prepareQuery.bind(session);
  let ways = 0;
  let underWay = 0;
  session.prepareQuery = (...words) => {
    const prepared = prepareQuery(...words) as { execute: (...given: unknown[]) => Promise<unknown> };
    const execute = prepared.execute.bind(prepared);
    prepared.execute = async (...given) => {
      if (underWay === 0) ways += 1;
      underWay += 1;
      try {
        return await execute(...given);
      } finally {
        underWay -= 1;
      }
    };
    return prepared;
  };
  await work();
  Reflect.deleteProperty(session, 'prepareQuery');
  return ways;
}

/**
 * @returns the number of statements that this process has sent to SQLite, inside and outside transactions
 */
export function statementsOnSqlite(): number {
  return sent;
}

export async function countStatements(tx: Transaction, work: () => Promise<unknown>): Promise<number> {
  const before = sent;
  if (tx.dialect === 'sqlite') {
    await work();
    return sent - before;
  }
  // Drizzle does not document the session. Without it, nothing is counted and the test fails.
  const { session } = tx.query as unknown as { session: Session };
  session.prepareQuery = counted(session.prepareQuery.bind(session));
  await work();
  Reflect.deleteProperty(session, 'prepareQuery'); // Restores the method of the class.
  return sent - before;
}
