/**
 * Counts the statements that a part of a transaction sends to its store. Import it before a store is opened.
 */
import { Database as SqliteFile } from 'bun:sqlite';
import type { Transaction } from '#db/database.ts';
import { clientOf } from '#db/prepared.ts';

/** A query of the driver, which starts when it is awaited or executed. */
interface Query extends PromiseLike<unknown> {
  values(): PromiseLike<unknown>;
  execute(): PromiseLike<unknown>;
}

interface Client {
  unsafe(text: string, values: unknown[]): Query;
}

type Method = (...parameters: unknown[]) => unknown;

let sent = 0;
let rows = 0;
let lastInsert: unknown = null;

function counted(method: Method): Method {
  return function (this: unknown, ...parameters) {
    // An insert of several rows runs once for each of them.
    const insert = String(this).startsWith('insert') ? this : null;
    if (insert === null || insert !== lastInsert) sent += 1;
    lastInsert = insert;
    const answer = Reflect.apply(method, this, parameters);
    if (Array.isArray(answer)) rows += answer.length;
    return answer;
  };
}

// SQLite prepares a statement once and runs it often, so runs are counted.
const prepare = Reflect.get(SqliteFile.prototype, 'prepare') as Method;
Reflect.set(SqliteFile.prototype, 'prepare', function (this: SqliteFile, ...words: unknown[]) {
  const statement = Reflect.apply(prepare, this, words) as Record<string, Method>;
  for (const name of ['run', 'get', 'all', 'values']) statement[name] = counted(statement[name]!);
  return statement;
});

export interface WatchedStatements {
  readonly statements: number;
  /** Round trips to Postgres. Statements sent before the first response arrives share one. SQLite has none. */
  readonly roundTrips: number;
}

/** Counts the statements of a transaction from now on, including those sent with its commit. */
export function watchStatements(tx: Transaction): WatchedStatements {
  if (tx.dialect === 'sqlite') {
    const before = sent;
    return {
      get statements() {
        return sent - before;
      },
      roundTrips: 0,
    };
  }
  const watched = { statements: 0, roundTrips: 0 };
  let underWay = 0;
  const track = async (answer: PromiseLike<unknown>): Promise<unknown> => {
    if (underWay === 0) watched.roundTrips += 1;
    underWay += 1;
    try {
      return await answer;
    } finally {
      underWay -= 1;
    }
  };
  // The client is the connection that the pool has lent to this transaction.
  const client = clientOf(tx.query) as unknown as Client;
  const unsafe = client.unsafe.bind(client);
  client.unsafe = (text, values) => {
    watched.statements += 1;
    const query = unsafe(text, values);
    return {
      // oxlint-disable-next-line unicorn/no-thenable -- like the query of the driver
      then: (onAnswer, onFault) => track(query).then(onAnswer, onFault),
      values: () => track(query.values()),
      execute: () => track(query.execute()),
    };
  };
  return watched;
}

/**
 * @returns the number of statements that this process has sent to SQLite, inside and outside transactions
 */
export function statementsOnSqlite(): number {
  return sent;
}

/**
 * @returns the number of rows that this process has read from SQLite in lists
 */
export function rowsOnSqlite(): number {
  return rows;
}

/** Leaves out statements that are sent with the commit. */
export async function countStatements(tx: Transaction, work: () => Promise<unknown>): Promise<number> {
  const watched = watchStatements(tx);
  const before = watched.statements;
  await work();
  return watched.statements - before;
}
