/** Statements to Postgres that are sent as they are: a query builder would cost more than the statement itself. */
import type { SQL } from 'bun';
import { drizzle } from 'drizzle-orm/bun-sql';
import type { QueryBuilder } from './database.ts';

const clients = new WeakMap<QueryBuilder, SQL>();

export function queryBuilderOver(client: SQL): QueryBuilder {
  const query = drizzle({ client });
  clients.set(query, client);
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
