/**
 * The columns the schema is made of, in Postgres' form. The schema is written once against this kit;
 * the SQLite kit offers the same names and, once read or written through Drizzle, the same JavaScript values.
 */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  customType,
  doublePrecision,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';

/**
 * Bun's driver encodes a JSON parameter a second time, so the text is made here and cast in the statement; what it
 * reads it has parsed already. `json` rather than `jsonb`, since an answer must come back with its fields in the order
 * they were stored.
 */
const jsonText = customType<{ data: unknown; driverData: unknown }>({
  dataType: () => 'json',
  toDriver: (value) => sql`${JSON.stringify(value)}::text::json`,
});

/** An instant to the millisecond; a `Date` on both stores. */
const timestampMs = customType<{ data: Date; driverData: Date | string }>({
  dataType: () => 'timestamp (3) with time zone',
  toDriver: (value) => value.toISOString(),
  fromDriver: (value) => (value instanceof Date ? value : new Date(value)),
});

/** Text that sorts by code point whatever the cluster's locale, as SQLite's does. */
const binaryText = customType<{ data: string; driverData: string }>({ dataType: () => 'text collate "C"' });

export const postgresKit = {
  table: pgTable,
  id: (name: string) => uuid(name),
  /** A primary key that the store counts up by itself. */
  rowNumber: (name: string) => bigint(name, { mode: 'number' }).primaryKey().generatedByDefaultAsIdentity(),
  text: (name: string) => text(name),
  sortedText: (name: string) => binaryText(name),
  integer: (name: string) => integer(name),
  /** Whole numbers up to 2^53, as token sums are. */
  count: (name: string) => bigint(name, { mode: 'number' }),
  real: (name: string) => doublePrecision(name),
  flag: (name: string) => boolean(name),
  instant: (name: string) => timestampMs(name),
  json: <T>(name: string) => jsonText(name).$type<T>(),
  index,
  uniqueIndex,
  unique,
  check,
  primaryKey,
  foreignKey,
};

export type ColumnKit = typeof postgresKit;
