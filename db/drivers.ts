/**
 * The drivers beneath Drizzle's query builders, for what Drizzle does not do. A process loads only that of its own store, so
 * this file has types of both and code of neither.
 */
import type { SQL as Client } from 'bun';
import type { Database as SqliteConnection } from 'bun:sqlite';
import type { QueryBuilder } from './database.ts';

const clients = new WeakMap<QueryBuilder, Client>();
const connections = new WeakMap<QueryBuilder, SqliteConnection>();

export function keepClient(query: QueryBuilder, client: Client): void {
  clients.set(query, client);
}

export function keepConnection(query: QueryBuilder, connection: SqliteConnection): void {
  connections.set(query, connection);
}

/** The connection behind the query builder. */
export function connectionOf(query: QueryBuilder): SqliteConnection {
  const connection = connections.get(query);
  if (connection === undefined) throw new Error('The query builder does not use SQLite.');
  return connection;
}

/** The Postgres client behind the query builder. */
export function clientOf(query: QueryBuilder): Client {
  const client = clients.get(query);
  if (client === undefined) throw new Error('The query builder does not use Postgres.');
  return client;
}

/**
 * Sends the statement before it returns. Only for Postgres.
 * @returns the rows as objects, by the names of the columns
 */
export function sendStatement(
  query: QueryBuilder,
  text: string,
  values: readonly unknown[],
): PromiseLike<readonly unknown[]> {
  const statement = clientOf(query).unsafe<unknown[]>(text, [...values]);
  return statement.execute();
}
