/** Reads the rows of a store as lines, from one snapshot and with little memory, however large the store is. */
import { Database as SqliteFile } from 'bun:sqlite';
import { SQL } from 'bun';
import { pooledUrlOf } from '../pool-mode.ts';
import { lineOf, type MovedTable, readStatement } from './moved-tables.ts';

export interface RowReader {
  count(table: MovedTable): Promise<number>;
  /** The lines of a table, in chunks of bounded size. */
  read(table: MovedTable): AsyncIterable<readonly string[]>;
  /** The last number that the store gave to a row of a numbered table. */
  lastNumber(table: MovedTable): Promise<number>;
  close(): Promise<void>;
}

/** SQLite keeps a file open while any statement is left, so each is finalized. */
export function readRows(client: SqliteFile, statement: string): readonly Record<string, unknown>[] {
  const prepared = client.prepare<Record<string, unknown>, []>(statement);
  try {
    return prepared.all();
  } finally {
    prepared.finalize();
  }
}

/** A chunk has about this size, or one row. */
const chunkBytes = 512 * 1024;
const chunkRowsMax = 1_000;

/**
 * @param isStopped whether no process may have the file open; it is then kept from all others until the end
 * @throws an error for which `isSqliteBusy` holds, if one has
 */
export function openSqliteReader(file: string, { isStopped }: { readonly isStopped: boolean }): RowReader {
  const client = new SqliteFile(file, { create: false, readwrite: true, strict: true });
  try {
    if (isStopped) client.run('PRAGMA locking_mode = EXCLUSIVE');
    client.run(isStopped ? 'BEGIN IMMEDIATE' : 'BEGIN');
    client.run('PRAGMA query_only = ON');
  } catch (error) {
    client.close();
    throw error;
  }
  const one = (statement: string): number => Number(readRows(client, statement)[0]?.['n'] ?? 0);
  return {
    count: async ({ name }) => one(`select count(*) as n from "${name}"`),
    read: async function* read(table) {
      let chunk: string[] = [];
      let bytes = 0;
      const statement = client.prepare<Record<string, unknown>, []>(readStatement(table, 'sqlite'));
      try {
        for (const row of statement.iterate()) {
          const line = lineOf(Object.values(row));
          chunk.push(line);
          bytes += line.length;
          if (bytes < chunkBytes && chunk.length < chunkRowsMax) continue;
          yield chunk;
          [chunk, bytes] = [[], 0];
        }
        if (chunk.length > 0) yield chunk;
      } finally {
        statement.finalize();
      }
    },
    lastNumber: async ({ name }) => one(`select seq as n from sqlite_sequence where name = '${name}'`),
    close: async () => {
      client.run('ROLLBACK');
      client.close();
    },
  };
}

const firstFetch = 50;
const connectTimeoutSeconds = 5;
/** A statement may take as long as a table is large. Nothing needs to be durable before the end. */
const patience = {
  statement_timeout: 0,
  idle_in_transaction_session_timeout: 0,
  synchronous_commit: 'off',
  maintenance_work_mem: '128MB',
};

/** Connections for a move. They do not count as a process of the hub. */
export function connectForMove(given: string, max: number): SQL {
  const { url, isPooled } = pooledUrlOf(given);
  return new SQL({
    url,
    max,
    prepare: false,
    connectionTimeout: connectTimeoutSeconds,
    // Poolers refuse other parameters.
    connection: { application_name: 'agent-hub-move', ...(isPooled ? {} : patience) },
  });
}

/** @param url the primary */
export async function openPostgresReader(url: string): Promise<RowReader> {
  const pool = connectForMove(url, 1);
  const client = await pool.reserve();
  await client.unsafe('begin isolation level repeatable read read only');
  const ask = async <Row>(statement: string): Promise<readonly Row[]> =>
    // The statement says what its rows hold.
    (await client.unsafe(statement)) as Row[];
  const one = async (statement: string): Promise<number> => {
    const [row] = await ask<{ n: string | number }>(statement);
    return Number(row?.n ?? 0);
  };
  return {
    count: ({ name }) => one(`select count(*)::float8 as n from "${name}"`),
    read: async function* read(table) {
      await client.unsafe(`declare rows no scroll cursor for ${readStatement(table, 'postgres')}`);
      let size = firstFetch;
      // One chunk ahead, so that the server reads while the target writes.
      const fetchNext = () => ask<Record<string, unknown>>(`fetch ${size} from rows`);
      let next = fetchNext();
      try {
        for (;;) {
          const rows = await next;
          if (rows.length === 0) break;
          const chunk = rows.map((row) => lineOf(Object.values(row)));
          const bytes = chunk.reduce((sum, line) => sum + line.length, 0);
          // Grows slowly, because large rows may follow small ones.
          size = Math.max(
            1,
            Math.min(chunkRowsMax, size * 2, Math.floor((chunkBytes * chunk.length) / bytes)),
          );
          next = fetchNext();
          yield chunk;
        }
      } finally {
        await next.catch(() => undefined);
        await client.unsafe('close rows').catch(() => undefined);
      }
    },
    lastNumber: ({ name, numbered }) =>
      one(`select case when is_called then last_value else 0 end::float8 as n from ${name}_${numbered}_seq`),
    close: async () => {
      await client.unsafe('rollback').catch(() => undefined);
      await client.release();
      await pool.close({ timeout: 1 });
    },
  };
}

/** The server notices the end of a session a moment later. */
const endsWithinMs = 3_000;
const pauseMs = 100;

/** @returns whether no process is connected as a hub or as one of its tools */
export async function isUnused(url: string): Promise<boolean> {
  const client = connectForMove(url, 1);
  try {
    for (const giveUpAt = performance.now() + endsWithinMs; ; await Bun.sleep(pauseMs)) {
      const sessions = await client.unsafe(
        "select 1 from pg_stat_activity where datname = current_database() and application_name = 'agent-hub'",
      );
      if (sessions.length === 0) return true;
      if (performance.now() > giveUpAt) return false;
    }
  } finally {
    await client.close({ timeout: 1 });
  }
}
