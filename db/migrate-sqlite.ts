/**
 * Upgrades a SQLite store to this version's schema. It takes a lock, so any number of processes may start at the
 * same time. Migrations only go forward. For an up-to-date store this is a single query.
 */
import { Database as SqliteFile } from 'bun:sqlite';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { drizzle } from 'drizzle-orm/bun-sqlite';
import { migrate } from 'drizzle-orm/bun-sqlite/migrator';
import { SqliteConnection } from './sqlite-connection.ts';
import { assertUpgradable, migrationsFolder, readSqliteHistory } from './migrations.ts';

const lockWaitMs = 60_000;

/** Other users of the machine must not read emails, messages and token hashes. */
const ownerOnly = 0o600;
const ownerOnlyFolder = 0o700;

export async function migrateSqlite(file: string, folder = migrationsFolder('sqlite')): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: ownerOnlyFolder });
  withMigrationLock(file, () => {
    // SQLite gives its log the mode of the file. An existing file keeps its mode.
    if (!existsSync(file)) closeSync(openSync(file, 'a', ownerOnly));
    // Finalizes the statements of the migrator, which would keep the file open.
    const client = new SqliteConnection(file, { create: true, strict: true });
    try {
      client.run(`PRAGMA busy_timeout = ${lockWaitMs}`);
      assertUpgradable(readSqliteHistory(client), folder);
      // SQLite does not wait when two connections switch a new file to WAL, so this needs the lock too.
      client.run('PRAGMA journal_mode = WAL');
      applySqliteMigrations(client, folder);
    } finally {
      client.close();
    }
  });
}

/** For a store that no other connection can open. */
export function applySqliteMigrations(client: SqliteFile, folder = migrationsFolder('sqlite')): void {
  migrate(drizzle({ client }), { migrationsFolder: folder });
}

/**
 * The migrator begins a deferred transaction, in which two processes could both read "nothing applied". So
 * they take the write lock of a second, tiny database beside the file. The system releases it when a process
 * dies.
 */
export function withMigrationLock<T>(file: string, work: () => T): T {
  const lock = new SqliteFile(`${file}.migration-lock`, { create: true, strict: true });
  try {
    lock.run(`PRAGMA busy_timeout = ${lockWaitMs}`);
    lock.run('BEGIN EXCLUSIVE');
    const result = work();
    lock.run('ROLLBACK');
    return result;
  } finally {
    lock.close();
  }
}
