/**
 * The store as the rest of the hub sees it. Reads use `query` with `tables`, and every write happens in a
 * transaction. Both stores use the types of Postgres; the schema makes them true on SQLite too.
 */
import type { BunSQLQueryResultHKT } from 'drizzle-orm/bun-sql';
import type { PgDatabase } from 'drizzle-orm/pg-core';
import type { Dialect } from './dialect.ts';
import type { Tables } from './schema/make-schema.ts';

export type DatabaseSetting = (
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string }
) & {
  /** The option of a command that named the store, for messages; DATABASE_URL if it is missing. */
  readonly namedBy?: string;
};
export type QueryBuilder = PgDatabase<BunSQLQueryResultHKT>;

export const searchTimeoutMs = 300;

export interface Database {
  readonly dialect: Dialect;
  readonly tables: Tables;
  /** Drizzle's query builder. Outside a transaction it is for reading only. */
  readonly query: QueryBuilder;
  /**
   * Runs `work` in one transaction. Commits when it resolves; rolls back and rethrows when it rejects. Inside
   * a transaction it joins that one. `work` makes no network call, and may run again when Postgres reports a
   * deadlock or a serialization failure.
   *
   * @throws DatabaseUnavailableError when the store cannot be reached or stays locked too long
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Runs slow queries, each for at most `searchTimeoutMs`, without blocking the event loop. `work` only reads, through
   * the `query` that it receives.
   *
   * @throws an error for which `isSearchTimeout` holds
   */
  search<T>(work: (reading: Database) => Promise<T>): Promise<T>;
}

/** What a transaction has given to `insert` and `update`. */
export interface Written {
  /** Of all values and rows. */
  readonly bytes: number;
  /** Of the values that may be texts by strangers. */
  readonly textBytes: number;
}

export interface Transaction extends Database {
  /** Runs `effect` after the outermost transaction has committed. A rollback discards it. */
  afterCommit(effect: () => void): void;
  /**
   * Sends a final statement, whose result is not needed, when the work of the outermost transaction is done. On Postgres,
   * COMMIT follows without waiting for it, which saves a round trip. If it fails, the transaction rolls back.
   *
   * @param send must send its statement before it returns
   */
  atCommit(send: () => PromiseLike<unknown>): void;
  /** So far. */
  written(): Written;
}

export interface OpenDatabase extends Database {
  close(): Promise<void>;
}
