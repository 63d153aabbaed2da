/**
 * The migrations that this version knows and those that a store has. Drizzle's migrator identifies each by
 * its time in ms.
 */
import type { Database as SqliteFile } from 'bun:sqlite';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SQL } from 'bun';
import { sql } from 'drizzle-orm';
import { projectFolder } from '#runtime/project-files.ts';
import type { Database } from './database.ts';
import type { Dialect } from './dialect.ts';
import { SchemaForeignError, SchemaTooNewError } from './errors.ts';

/** Holds the statements and drizzle-kit's journal, which lists them. */
export function migrationsFolder(dialect: Dialect): string {
  return join(projectFolder, 'db', 'migrations', dialect);
}

const timesByFolder = new Map<string, readonly number[]>();

function knownTimes(folder: string): readonly number[] {
  let times = timesByFolder.get(folder);
  if (times === undefined) {
    const file = join(folder, 'meta', '_journal.json');
    // drizzle-kit writes the journal in this form.
    const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: { when: number }[] };
    times = journal.entries.map(({ when }) => when);
    timesByFolder.set(folder, times);
  }
  return times;
}

export function newestMigration(dialect: Dialect): number {
  return Math.max(...knownTimes(migrationsFolder(dialect)));
}

/** Every store of a hub has this one. Other programs that use the same migrator do not. */
export function firstMigration(folder: string): number {
  return Math.min(...knownTimes(folder));
}

/** Where Drizzle's migrator records what it has applied. */
const appliedTables = {
  sqlite: '__drizzle_migrations',
  postgres: 'drizzle.__drizzle_migrations',
} as const satisfies Record<Dialect, unknown>;

/** The migrations that a store has, oldest first. Empty if it has never been migrated. */
export type MigrationHistory = readonly number[];

/** Rejects if the store has never been migrated. */
export async function readHistory(db: Database): Promise<MigrationHistory> {
  const applied = await db.query
    .select({ time: sql<number>`created_at`.mapWith(Number) })
    .from(sql.raw(appliedTables[db.dialect]))
    .orderBy(sql`created_at`);
  return applied.map(timeOf);
}

/** {@link readHistory} on a plain connection, even for a store that has never been migrated. */
export function readSqliteHistory(client: SqliteFile): MigrationHistory {
  const table = appliedTables.sqlite;
  if (client.query('select 1 from sqlite_master where name = ?').get(table) === null) return [];
  const query = `select created_at as time from ${table} order by created_at`;
  return client.query<{ time: number }, []>(query).all().map(timeOf);
}

/** {@link readSqliteHistory} for Postgres. */
export async function readPostgresHistory(client: SQL): Promise<MigrationHistory> {
  const table = appliedTables.postgres;
  const [{ exists }] = await client`select to_regclass(${table}) is not null as exists`;
  if (exists !== true) return [];
  const rows: { time: number }[] = await client.unsafe(
    `select created_at::float8 as time from ${table} order by created_at`,
  );
  return rows.map(timeOf);
}

const timeOf = ({ time }: { readonly time: number }): number => time;

/** Whether this version can use the store: it has all of this version's migrations. */
export function isUsable(applied: MigrationHistory, { dialect }: Database): boolean {
  return knownTimes(migrationsFolder(dialect)).every((time) => applied.includes(time));
}

/**
 * Refuses a store that the migrations in `folder` would damage. Later migrations of a newer version are accepted: they
 * only add, so both versions can run side by side.
 * @throws SchemaForeignError, SchemaTooNewError
 */
export function assertUpgradable(applied: MigrationHistory, folder: string): void {
  const [first] = applied;
  if (first === undefined) return;
  if (first !== firstMigration(folder)) {
    throw new SchemaForeignError('The first migration of the store is unknown.');
  }
  const newest = Math.max(...applied);
  // The migrator would skip them.
  if (knownTimes(folder).some((time) => time < newest && !applied.includes(time))) {
    throw new SchemaTooNewError('The store lacks a migration that is older than its newest one.');
  }
}
