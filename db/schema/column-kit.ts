/**
 * The column types of the schema, for Postgres. The schema is written once against this kit. The SQLite kit
 * has the same names and, through Drizzle, yields the same JavaScript values.
 */
import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  customType,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import type { Dialect } from '../dialect.ts';

/**
 * Bun's driver would encode a JSON parameter twice, so this makes the text and casts it in the statement. The
 * driver parses JSON that it reads. The type is `json` and not `jsonb`, because a stored response must keep
 * the order of its fields.
 */
const jsonText = customType<{ data: unknown; driverData: unknown }>({
  dataType: () => 'json',
  toDriver: (value) => sql`${JSON.stringify(value)}::text::json`,
});

/** A time in milliseconds; a `Date` on both stores. */
const timestampMs = customType<{ data: Date; driverData: Date | string }>({
  dataType: () => 'timestamp (3) with time zone',
  toDriver: (value) => value.toISOString(),
  fromDriver: (value) => (value instanceof Date ? value : new Date(value)),
});

/** Text that sorts by code point whatever the cluster's locale, as on SQLite. */
const binaryText = customType<{ data: string; driverData: string }>({ dataType: () => 'text collate "C"' });

export const postgresKit = {
  dialect: 'postgres' as Dialect,
  table: pgTable,
  id: (name: string) => uuid(name),
  /** The id of a row of another table. */
  reference: (name: string, id: () => AnyPgColumn) => uuid(name).notNull().references(id),
  /**
   * Refers to a row of another table that is never deleted. Postgres does not enforce it, because a look-up for each new
   * row would cost more than the rest of the row; `hub audit` checks it.
   */
  auditedReference: (name: string, _id: () => AnyPgColumn) => uuid(name).notNull(),
  /** A primary key that the store assigns in ascending order. */
  rowNumber: (name: string) => bigint(name, { mode: 'number' }).primaryKey().generatedByDefaultAsIdentity(),
  text: (name: string) => text(name),
  sortedText: (name: string) => binaryText(name),
  integer: (name: string) => integer(name),
  /** Integers up to 2^53, such as token sums. */
  count: (name: string) => bigint(name, { mode: 'number' }),
  real: (name: string) => doublePrecision(name),
  flag: (name: string) => boolean(name),
  instant: (name: string) => timestampMs(name),
  json: <T>(name: string) => jsonText(name).$type<T>(),
  index,
  uniqueIndex,
  check,
  primaryKey,
};

export type ColumnKit = typeof postgresKit;
