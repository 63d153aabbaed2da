/**
 * The SQLite store: one writer connection with IMMEDIATE transactions, and one connection for reading.
 * Several processes may share the file. If the write lock is taken, a transaction retries without blocking
 * the event loop.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { drizzle as drizzleProxy } from 'drizzle-orm/sqlite-proxy';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type OpenDatabase, type QueryBuilder, searchTimeoutMs } from './database.ts';
import { DatabaseUnavailableError, isSqliteBusy } from './errors.ts';
import { applySqliteMigrations } from './migrate-sqlite.ts';
import { SearchThread } from './search-thread.ts';
import { queryBuilderOver, SqliteConnection } from './sqlite-connection.ts';
import type { Tables } from './schema/make-schema.ts';
import { sqliteTables } from './schema/sqlite.ts';
import { joinableTransaction, noCommitSteps, runEffects } from './transaction.ts';
import { WrittenBytes } from './written-bytes.ts';
import { createWriterLock } from './writer-lock.ts';

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
