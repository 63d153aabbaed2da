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
import { isMissingTable, SchemaForeignError, SchemaTooNewError } from './errors.ts';

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

const requiredTable = 'required_migrations';

/** What a store records about its migrations. */
export interface MigrationHistory {
  /** Oldest first. Empty if the store has never been migrated. */
  readonly applied: readonly number[];
  /** A version that does not know all of these must not use the store. */
  readonly required: readonly number[];
}

/** Rejects if the store has never been migrated. */
export async function readHistory(db: Database): Promise<MigrationHistory> {
  const { requiredMigrations } = db.tables;
  const applied = await db.query
    .select({ time: sql<number>`created_at`.mapWith(Number) })
    .from(sql.raw(appliedTables[db.dialect]))
    .orderBy(sql`created_at`);
  // Stores of other programs lack the table.
  const required = await db.query
    .select()
    .from(requiredMigrations)
    .catch((error: unknown) => {
      if (isMissingTable(error)) return [];
      throw error;
    });
  return { applied: applied.map(timeOf), required: required.map(timeOf) };
}

/** {@link readHistory} on a plain connection, even for a store that has never been migrated. */
export function readSqliteHistory(client: SqliteFile): MigrationHistory {
  const timesIn = (table: string, column: string): readonly number[] => {
    if (client.query('select 1 from sqlite_master where name = ?').get(table) === null) return [];
    const query = `select ${column} as time from ${table} order by ${column}`;
    return client.query<{ time: number }, []>(query).all().map(timeOf);
  };
  return {
    applied: timesIn(appliedTables.sqlite, 'created_at'),
    required: timesIn(requiredTable, 'time'),
  };
}

/** {@link readSqliteHistory} for Postgres. */
export async function readPostgresHistory(client: SQL): Promise<MigrationHistory> {
  const timesIn = async (table: string, column: string): Promise<readonly number[]> => {
    const [{ exists }] = await client`select to_regclass(${table}) is not null as exists`;
    if (exists !== true) return [];
    const rows: { time: number }[] = await client.unsafe(
      `select ${column}::float8 as time from ${table} order by ${column}`,
    );
    return rows.map(timeOf);
  };
  return {
    applied: await timesIn(appliedTables.postgres, 'created_at'),
    required: await timesIn(requiredTable, 'time'),
  };
}

const timeOf = ({ time }: { readonly time: number }): number => time;

/** Whether this version can use the store: it has all of this version's migrations, and requires no others. */
export function isUsable({ applied, required }: MigrationHistory, { dialect }: Database): boolean {
  const known = knownTimes(migrationsFolder(dialect));
  return known.every((time) => applied.includes(time)) && required.every((time) => known.includes(time));
}

/**
 * Refuses a store that the migrations in `folder` would damage, or that this version would damage because a newer one
 * has removed something from it. Other unknown migrations are accepted: they only add, so both versions can run side by
 * side.
 * @throws SchemaForeignError, SchemaTooNewError
 */
export function assertUpgradable({ applied, required }: MigrationHistory, folder: string): void {
  const [first] = applied;
  if (first === undefined) return;
  if (first !== firstMigration(folder)) {
    throw new SchemaForeignError('The first migration of the store is unknown.');
  }
  const known = knownTimes(folder);
  if (required.some((time) => !known.includes(time))) {
    throw new SchemaTooNewError('The store requires migrations that this version does not know.');
  }
  const newest = Math.max(...applied);
  // The migrator would skip them.
  if (known.some((time) => time < newest && !applied.includes(time))) {
    throw new SchemaTooNewError('The store lacks a migration that is older than its newest one.');
  }
}
