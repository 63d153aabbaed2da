/** The column kit for SQLite: the same names and, through Drizzle, the same JavaScript values. */
import {
  type AnySQLiteColumn,
  check,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import type { ColumnKit } from './column-kit.ts';

const kit = {
  dialect: 'sqlite',
  table: sqliteTable,
  id: (name: string) => text(name),
  reference: (name: string, id: () => AnySQLiteColumn) => text(name).notNull().references(id),
  /** Enforced here, where it costs little and could only be dropped by copying the table. */
  auditedReference: (name: string, id: () => AnySQLiteColumn) => text(name).notNull().references(id),
  rowNumber: (name: string) => integer(name).primaryKey({ autoIncrement: true }),
  text: (name: string) => text(name),
  sortedText: (name: string) => text(name),
  integer: (name: string) => integer(name),
  count: (name: string) => integer(name),
  real: (name: string) => real(name),
  flag: (name: string) => integer(name, { mode: 'boolean' }),
  instant: (name: string) => integer(name, { mode: 'timestamp_ms' }),
  json: (name: string) => text(name, { mode: 'json' }),
  index,
  uniqueIndex,
  check,
  primaryKey,
};

/**
 * Both dialects' builders have the methods that the schema uses and yield the same values, so one type fits
 * both. The store tests check this.
 */
export const sqliteKit = kit as unknown as ColumnKit;
