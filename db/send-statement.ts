/** Statements to Postgres that are sent as they are: a query builder would cost more than the statement itself. */
import type { SQL } from 'bun';
import type { QueryBuilder } from './database.ts';

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

/** The Postgres client behind the query builder. */
export function clientOf(query: QueryBuilder): SQL {
  // Drizzle's builder carries it.
  return (query as unknown as { readonly $client: SQL }).$client;
}
