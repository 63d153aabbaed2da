/** Counts the statements that a piece of a transaction sends to its store. Import it before a store is opened. */
import { Database as SqliteFile } from 'bun:sqlite';
import type { Transaction } from '#db/database.ts';

/** Where every Drizzle query of a Postgres transaction passes, each time that it is carried out. */
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

// On SQLite a statement is prepared once and carried out often, so that it is counted where that happens.
const prepare = Reflect.get(SqliteFile.prototype, 'prepare') as Method;
Reflect.set(SqliteFile.prototype, 'prepare', function (this: SqliteFile, ...words: unknown[]) {
  const statement = Reflect.apply(prepare, this, words) as Record<string, Method>;
  for (const name of ['run', 'get', 'all', 'values']) statement[name] = counted(statement[name]!);
  return statement;
});

/**
 * How often the transaction waits for its store: statements that are sent before the first of them has been answered cost
 * one way there and back. On Postgres alone, as SQLite answers on the spot.
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

/** How many statements SQLite was sent so far, in this process and outside of transactions as well. */
export function statementsOnSqlite(): number {
  return sent;
}

export async function countStatements(tx: Transaction, work: () => Promise<unknown>): Promise<number> {
  const before = sent;
  if (tx.dialect === 'sqlite') {
    await work();
    return sent - before;
  }
  // Not part of Drizzle's documented surface; a test that counts nothing fails.
  const { session } = tx.query as unknown as { session: Session };
  session.prepareQuery = counted(session.prepareQuery.bind(session));
  await work();
  Reflect.deleteProperty(session, 'prepareQuery'); // Uncovers the method of the class again.
  return sent - before;
}
