/**
 * Brings a store forward to this version's schema, under a lock, so that any number of processes may start at once.
 * Migrations only go forward. A store that is already current costs one look.
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
import { appliedToPostgres, appliedToSqlite, assertUpgradable, migrationsFolder } from './migrations.ts';

/** Any constant will do; it only has to differ from other programs' advisory locks in the same database. */
const advisoryLockKey = 4_831_977_203n;
const lockWaitMs = 60_000;
const connectTimeoutSeconds = 5;
const greetingTimeoutMs = 8_000;

/** Mails, messages and hashes of tokens are not for others on the machine. */
const ownerOnly = 0o600;
const ownerOnlyFolder = 0o700;

export async function migrateSqlite(file: string, folder = migrationsFolder('sqlite')): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: ownerOnlyFolder });
  withMigrationLock(file, () => {
    // SQLite gives its log the mode of the file. One that is there keeps the mode that its owner has given it.
    if (!existsSync(file)) closeSync(openSync(file, 'a', ownerOnly));
    const client = new SqliteFile(file, { create: true, strict: true });
    try {
      client.run(`PRAGMA busy_timeout = ${lockWaitMs}`);
      // SQLite does not wait for its turn when two connections turn a new file to WAL, so this too needs the lock.
      client.run('PRAGMA journal_mode = WAL');
      assertUpgradable(appliedToSqlite(client), folder);
      applySqliteMigrations(client, folder);
    } finally {
      client.close();
    }
  });
}

/** For a store that nobody else can open. */
export function applySqliteMigrations(client: SqliteFile, folder = migrationsFolder('sqlite')): void {
  applySqlite(drizzleSqlite({ client }), { migrationsFolder: folder });
}

/**
 * The migrator begins a deferred transaction of its own, in which two starters could read "nothing applied" both.
 * The write lock of a second, tiny database beside the file is what makes the others wait; the system frees it
 * when a process dies.
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

export async function migratePostgres(url: string, folder = migrationsFolder('postgres')): Promise<void> {
  const client = new SQL({ url, max: 1, connectionTimeout: connectTimeoutSeconds });
  try {
    // A server that stands still must not keep a start waiting; a migration itself may take its time.
    const greeting = client`select set_config('lock_timeout', ${`${lockWaitMs}ms`}, false)`;
    await within(greetingTimeoutMs, greeting, () => databaseTimeout(greetingTimeoutMs));
    await client`select pg_advisory_lock(${advisoryLockKey})`;
    assertUpgradable(await appliedToPostgres(client), folder);
    await applyPostgres(drizzlePostgres({ client }), { migrationsFolder: folder });
  } finally {
    // Closing the session frees the advisory lock.
    await client.close({ timeout: 1 }).catch(() => undefined);
  }
}
