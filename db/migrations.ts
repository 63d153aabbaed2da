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
import type { Database, Dialect } from './database.ts';
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

/** The store's migrations, oldest first. Rejects if the store has never been migrated. */
export async function appliedMigrations(db: Database): Promise<readonly number[]> {
  const rows = await db.query
    .select({ time: sql<number>`created_at`.mapWith(Number) })
    .from(sql.raw(appliedTables[db.dialect]))
    .orderBy(sql`created_at`);
  return rows.map(({ time }) => time);
}

/** {@link appliedMigrations} on a plain connection. Empty if the store has never been migrated. */
export function appliedToSqlite(client: SqliteFile): readonly number[] {
  const table = appliedTables.sqlite;
  if (client.query('select 1 from sqlite_master where name = ?').get(table) === null) return [];
  return client
    .query<{ time: number }, []>(`select created_at as time from ${table} order by created_at`)
    .all()
    .map(({ time }) => time);
}

export async function appliedToPostgres(client: SQL): Promise<readonly number[]> {
  const table = appliedTables.postgres;
  const [{ exists }] = await client`select to_regclass(${table}) is not null as exists`;
  if (exists !== true) return [];
  const rows: { time: number }[] = await client.unsafe(
    `select created_at::float8 as time from ${table} order by created_at`,
  );
  return rows.map(({ time }) => time);
}

/** Whether the store has this version's newest migration. A newer store counts too, because migrations only add. */
export async function isMigrated(db: Database): Promise<boolean> {
  return ((await appliedMigrations(db)).at(-1) ?? 0) >= newestMigration(db.dialect);
}

/**
 * Refuses a store that the migrations in `folder` would damage: one with another history, on which the migrator would
 * start in the middle, and one from a newer version, which may have dropped a column or changed its meaning.
 * @throws SchemaForeignError, SchemaTooNewError
 */
export function assertUpgradable(applied: readonly number[], folder: string): void {
  const [first] = applied;
  if (first === undefined) return;
  if (first !== firstMigration(folder)) {
    throw new SchemaForeignError('The first migration of the store is unknown.');
  }
  if (Math.max(...applied) > Math.max(...knownTimes(folder))) {
    throw new SchemaTooNewError('The store has migrations that this version does not know.');
  }
}
