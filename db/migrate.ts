/**
 * Upgrades a store to this version's schema. It takes a lock, so any number of processes may start at the
 * same time. Migrations only go forward. For an up-to-date store this is a single query.
 */
import { Database as SqliteFile } from 'bun:sqlite';
import { SQL } from 'bun';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { drizzle as drizzlePostgres } from 'drizzle-orm/bun-sql';
import { migrate as applyPostgres } from 'drizzle-orm/bun-sql/migrator';
import { drizzle as drizzleSqlite } from 'drizzle-orm/bun-sqlite';
import { migrate as applySqlite } from 'drizzle-orm/bun-sqlite/migrator';
import { within } from '#runtime/within.ts';
import { databaseTimeout } from './errors.ts';
import { pooledUrlOf } from './pool-mode.ts';
import { assertUpgradable, migrationsFolder, readPostgresHistory, readSqliteHistory } from './migrations.ts';

/** An arbitrary constant that differs from other programs' advisory locks in the same database. */
const advisoryLockKey = 4_831_977_203n;
const lockWaitMs = 60_000;
const connectTimeoutSeconds = 5;
const greetingTimeoutMs = 8_000;

/** Other users of the machine must not read emails, messages and token hashes. */
const ownerOnly = 0o600;
const ownerOnlyFolder = 0o700;

export async function migrateSqlite(file: string, folder = migrationsFolder('sqlite')): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: ownerOnlyFolder });
  withMigrationLock(file, () => {
    // SQLite gives its log the mode of the file. An existing file keeps its mode.
    if (!existsSync(file)) closeSync(openSync(file, 'a', ownerOnly));
    const client = new SqliteFile(file, { create: true, strict: true });
    try {
      client.run(`PRAGMA busy_timeout = ${lockWaitMs}`);
      // SQLite does not wait when two connections switch a new file to WAL, so this needs the lock too.
      client.run('PRAGMA journal_mode = WAL');
      assertUpgradable(readSqliteHistory(client), folder);
      applySqliteMigrations(client, folder);
    } finally {
      client.close();
    }
  });
}

/** For a store that no other connection can open. */
export function applySqliteMigrations(client: SqliteFile, folder = migrationsFolder('sqlite')): void {
  applySqlite(drizzleSqlite({ client }), { migrationsFolder: folder });
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

export async function migratePostgres(given: string, folder = migrationsFolder('postgres')): Promise<void> {
  const { url, isPooled } = pooledUrlOf(given);
  const options = { url, max: 1, prepare: !isPooled, connectionTimeout: connectTimeoutSeconds };
  // A transaction holds the lock, because a session's lock would stay with the pooler. The migrator has its own
  // connection.
  const [holder, client] = [new SQL(options), new SQL(options)];
  try {
    // A server that hangs must not block a start. The migration itself may take its time.
    await within(greetingTimeoutMs, holder`select 1`, () => databaseTimeout(greetingTimeoutMs));
    await holder.begin(async (tx) => {
      await tx`select set_config('lock_timeout', ${`${lockWaitMs}ms`}, true)`;
      await tx`select pg_advisory_xact_lock(${advisoryLockKey})`;
      assertUpgradable(await readPostgresHistory(client), folder);
      await applyPostgres(drizzlePostgres({ client }), { migrationsFolder: folder });
    });
  } finally {
    await Promise.all([holder, client].map((each) => each.close({ timeout: 1 }).catch(() => undefined)));
  }
}
