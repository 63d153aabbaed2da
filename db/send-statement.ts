/** Statements to Postgres that are sent as they are: a query builder would cost more than the statement itself. */
import type { SQL } from 'bun';
import { drizzle } from 'drizzle-orm/bun-sql';
import type { QueryBuilder } from './database.ts';
import { countWritten, type WrittenBytes } from './written-bytes.ts';

const clients = new WeakMap<QueryBuilder, SQL>();

/** @param written counts what a transaction writes; without it, nothing does */
export function queryBuilderOver(client: SQL, written?: WrittenBytes): QueryBuilder {
  const query = drizzle({ client, ...(written && { logger: written }) });
  clients.set(query, client);
  if (written !== undefined) countWritten(query, written);
  return query;
}

/** The Postgres client behind the query builder. */
export function clientOf(query: QueryBuilder): SQL {
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
