/**
 * What the rest of the hub sees of its store. Reads go through `query` with `tables`; every write happens in a
 * transaction. The types are Postgres' for both stores: the schema is made so that they hold on SQLite too.
 */
import type { BunSQLQueryResultHKT } from 'drizzle-orm/bun-sql';
import type { PgDatabase } from 'drizzle-orm/pg-core';
import type { Tables } from './schema/make-schema.ts';

export type Dialect = 'sqlite' | 'postgres';
export type DatabaseSetting =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string };
export type QueryBuilder = PgDatabase<BunSQLQueryResultHKT>;

export interface Database {
  readonly dialect: Dialect;
  readonly tables: Tables;
  /** Drizzle's query builder. Outside a transaction it is for reading alone. */
  readonly query: QueryBuilder;
  /**
   * Runs `work` in one transaction and commits when it resolves; rolls back and rethrows when it rejects.
   * Inside a transaction it joins that one. No network call may happen in `work`, which may be run again
   * when Postgres reports a deadlock or a serialization failure.
   *
   * @throws DatabaseUnavailableError when the store cannot be reached or stays locked too long
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

export interface Transaction extends Database {
  /** Runs `effect` once the outermost transaction has committed, and never if it does not. */
  afterCommit(effect: () => void): void;
}

export interface OpenDatabase extends Database {
  close(): Promise<void>;
}
