/**
 * The SQLite store: one writer connection with IMMEDIATE transactions, and one connection for reading.
 * Several processes may share the file. If the write lock is taken, a transaction retries without blocking
 * the event loop.
 */
import { Database as SqliteFile } from 'bun:sqlite';
import { drizzle } from 'drizzle-orm/bun-sqlite';
import { migrate } from 'drizzle-orm/bun-sqlite/migrator';
import { drizzle as drizzleProxy } from 'drizzle-orm/sqlite-proxy';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type OpenDatabase, type QueryBuilder, searchTimeoutMs } from './database.ts';
import { countWritten, keepConnection } from './prepared.ts';
import { DatabaseUnavailableError, isSqliteBusy } from './errors.ts';
import { assertUpgradable, migrationsFolder, readSqliteHistory } from './migrations.ts';
import type { Tables } from './schema/make-schema.ts';
import { sqliteTables } from './schema/sqlite.ts';
import { SearchThread } from './search-thread.ts';
import { joinableTransaction, noCommitSteps, runEffects, WrittenBytes } from './transaction.ts';

/** How long a transaction waits for the write lock, first in this process and then against others. */
const writeLockWaitMs = 5_000;
const retryPauseMs = { least: 0.5, most: 4 };
/** Readers are only blocked while the log is recovered or reset. */
const readerBusyTimeoutMs = 1_000;
const usualCacheKib = 16_000;

/** @param cacheKib memory that each of the two connections may fill with pages of the file */
export function openSqlite(file: string, cacheKib = usualCacheKib): OpenDatabase {
  mkdirSync(dirname(file), { recursive: true });
  const writer = connect(file, cacheKib, 0);
  const reader = connect(file, cacheKib, readerBusyTimeoutMs);
  reader.run('PRAGMA query_only = ON');
  return openOver(writer, reader, new SearchThread(file, searchTimeoutMs));
}

/** An in-memory store with this version's schema. It is filled once and then read-only. */
export async function openSqliteInMemory(fill: (db: OpenDatabase) => Promise<void>): Promise<OpenDatabase> {
  const connection = new SqliteConnection(':memory:', { strict: true });
  connection.run('PRAGMA foreign_keys = ON');
  applySqliteMigrations(connection);
  const db = openOver(connection, connection, null);
  await fill(db);
  connection.run('PRAGMA query_only = ON');
  return db;
}

/** A finished file, such as a backup, for reading only. Nothing beside it is created. */
export function openSqliteReadOnly(file: string): OpenDatabase {
  const connection = new SqliteConnection(file, { readonly: true, strict: true });
  return openOver(connection, connection, null);
}

/** @param thread runs searches; null for a store that no other connection can open, and that is small */
function openOver(
  writer: SqliteConnection,
  reader: SqliteConnection,
  thread: SearchThread | null,
): OpenDatabase {
  const withWriterLock = createWriterLock(writeLockWaitMs);
  const written = new WrittenBytes();
  const writerQuery = queryBuilderOver(writer, written);
  const tables: Tables = sqliteTables;

  const searching = thread === null ? null : asRemoteQueryBuilder(thread);

  const db: OpenDatabase = {
    dialect: 'sqlite',
    tables,
    query: queryBuilderOver(reader),
    transaction: async (work) => {
      const steps = noCommitSteps();
      const result = await withWriterLock(async () => {
        await beginImmediate(writer);
        written.reset();
        try {
          const value = await work(joinableTransaction('sqlite', tables, writerQuery, steps));
          for (const send of steps.lastStatements) await send();
          crashPoint('transaction.committing');
          writer.run('COMMIT');
          crashPoint('transaction.committed');
          return value;
        } catch (error) {
          if (writer.inTransaction) writer.run('ROLLBACK');
          throw error;
        }
      });
      runEffects(steps);
      return result;
    },
    search: (work) => work(searching === null ? db : { ...db, query: searching }),
    close: async () => {
      thread?.close();
      await withWriterLock(async () => writer.close());
      reader.close();
    },
  };
  return db;
}

const logBytesKept = 64 * 1024 * 1024;

function connect(file: string, cacheKib: number, busyTimeoutMs: number): SqliteConnection {
  const connection = new SqliteConnection(file, { create: true, strict: true });
  // On a new file, setting the journal mode needs the write lock for a moment.
  connection.run('PRAGMA busy_timeout = 5000');
  connection.run('PRAGMA journal_mode = WAL');
  // The log is cut to this size when it starts anew, so that it does not stay as long as it ever was.
  connection.run(`PRAGMA journal_size_limit = ${logBytesKept}`);
  connection.run('PRAGMA synchronous = FULL');
  connection.run('PRAGMA foreign_keys = ON');
  // Deleted data, such as that of closed accounts, must not stay in free pages.
  connection.run('PRAGMA secure_delete = ON');
  connection.run(`PRAGMA cache_size = ${-cacheKib}`);
  connection.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  return connection;
}

/**
 * Takes the write lock before the first read, so that a transaction never fails halfway with a stale
 * snapshot.
 */
async function beginImmediate(writer: SqliteConnection): Promise<void> {
  const giveUpAt = performance.now() + writeLockWaitMs;
  for (;;) {
    try {
      writer.run('BEGIN IMMEDIATE');
      return;
    } catch (error) {
      if (!isSqliteBusy(error)) throw error;
      if (performance.now() > giveUpAt) {
        throw new DatabaseUnavailableError(`Another process held the write lock for ${writeLockWaitMs} ms.`, {
          cause: error,
        });
      }
      await Bun.sleep(retryPauseMs.least + Math.random() * (retryPauseMs.most - retryPauseMs.least));
    }
  }
}

function asRemoteQueryBuilder(thread: SearchThread): QueryBuilder {
  const client = drizzleProxy(async (sql, params, method) => {
    const rows = await thread.run(sql, params);
    return { rows: method === 'get' ? [...(rows[0] ?? [])] : [...rows] };
  });
  // As for a connection.
  return client as unknown as QueryBuilder;
}

type Statement = ReturnType<SqliteFile['prepare']>;

/** Most statements take a few kilobytes. */
const statementsMax = 300;

/** A connection to a SQLite file that prepares each statement once, although Drizzle prepares it at every use. */
export class SqliteConnection extends SqliteFile {
  /** By their text, the most recently used last. */
  readonly #statements = new Map<string, Statement>();

  // Bun's own type ties the parameters to the rows, which no caller here declares.
  override prepare(text: string): never {
    const statement = this.#statements.get(text) ?? super.prepare(withUnreadParameters(text));
    this.#statements.delete(text);
    this.#statements.set(text, statement);
    if (this.#statements.size > statementsMax) this.#dropOldest();
    return statement as never;
  }

  /** Finalizes the statements first: SQLite keeps the file open while any is left. */
  override close(throwOnError?: boolean): void {
    for (const statement of this.#statements.values()) statement.finalize();
    this.#statements.clear();
    super.close(throwOnError);
  }

  /** Does not finalize it, because a prepared query may still use it. */
  #dropOldest(): void {
    for (const text of this.#statements.keys()) {
      this.#statements.delete(text);
      return;
    }
  }
}

/** @param written counts what the transactions of this connection write; without it, nothing does */
function queryBuilderOver(client: SqliteConnection, written?: WrittenBytes): QueryBuilder {
  // Both drivers' builders have the methods that the queries use and can be awaited. The store tests run
  // every query on both.
  const query = drizzle({ client, ...(written && { logger: written }) }) as unknown as QueryBuilder;
  keepConnection(query, client);
  if (written !== undefined) countWritten(query, written);
  return query;
}

/**
 * SQLite plans a statement for the values of parameters that it compares with columns or that limit rows, so it parses
 * and plans the statement again at every use. Planning takes 5 to 45 µs; running the statement often takes only 1 to 3. It
 * does not look into `+?`, which has the same value. Plans do not need the values: queries that need a partial index
 * repeat its condition literally.
 */
function withUnreadParameters(text: string): string {
  return text.replaceAll(/(?<=[=<>] |\blimit |\boffset )\?/gi, '+?');
}

/**
 * SQLite blocks the thread while it writes. Waiting transactions would run without a break, so other events get a turn
 * this often.
 */
const yieldEveryMs = 20;

/**
 * Lets one transaction at a time use the writer connection in this process, first come, first served.
 * @param waitMs how long a transaction waits for its turn
 */
export function createWriterLock(waitMs: number) {
  const waiting = new Set<() => void>();
  let held = false;
  let yieldedAt = 0;

  function release(): void {
    const [next] = waiting;
    if (next === undefined) {
      held = false;
      return;
    }
    waiting.delete(next);
    next();
  }

  function acquire(): Promise<void> {
    if (!held) {
      held = true;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(take);
        reject(new DatabaseUnavailableError(`The writer connection was not free within ${waitMs} ms.`));
      }, waitMs);
      const take = (): void => {
        clearTimeout(timer);
        resolve();
      };
      waiting.add(take);
    });
  }

  return async function withWriterLock<T>(work: () => Promise<T>): Promise<T> {
    await acquire();
    try {
      if (performance.now() - yieldedAt > yieldEveryMs) {
        await new Promise((resolve) => setImmediate(resolve));
        yieldedAt = performance.now();
      }
      return await work();
    } finally {
      release();
    }
  };
}

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
