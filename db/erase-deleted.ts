/**
 * Erases what a store keeps of rows that were deleted or changed. SQLite: the write-ahead log, and leftovers in the
 * free parts of pages, which `secure_delete` misses when it splits a page. Postgres: dead tuples and their index
 * entries. Several processes may run it at the same time.
 */
import { Database as SqliteFile } from 'bun:sqlite';
import { open } from 'node:fs/promises';
import { getTableName, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { isSqliteBusy } from './errors.ts';

/**
 * - `done`: nothing is left.
 * - `partly`: some tables could not be vacuumed, or the file is too large to be rewritten.
 * - `busy`: others use the store. Call again.
 */
export type Erasure = 'done' | 'partly' | 'busy';

/** @param texts what to look for in pages of SQLite; null if unknown, which rewrites the file */
export async function eraseDeleted(db: Database, texts: readonly string[] | null): Promise<Erasure> {
  switch (db.dialect) {
    case 'sqlite':
      return eraseOnSqlite(db, texts);
    case 'postgres':
      return vacuumTables(db);
  }
}

/** Rewriting a file of this size blocks other writers for a second or two. */
const rewrittenMaxBytes = 64 * 1024 * 1024;

async function eraseOnSqlite(db: Database, texts: readonly string[] | null): Promise<Erasure> {
  const [main] = await db.query
    .select({ file: sql<string>`file` })
    .from(sql`pragma_database_list`)
    .where(sql`name = 'main'`);
  if (main === undefined || main.file === '') return 'done'; // In memory.
  const client = new SqliteFile(main.file, { create: false, readwrite: true, strict: true });
  try {
    client.run(`PRAGMA busy_timeout = ${waitForLockMs}`);
    client.run('PRAGMA synchronous = FULL');
    client.run('PRAGMA secure_delete = ON');
    if (!(await tryAgain(() => truncateLog(client)))) return 'busy';
    const pages = client.query<{ page_count: number; page_size: number }, []>(
      'select page_count, page_size from pragma_page_count, pragma_page_size',
    );
    const { page_count: count, page_size: size } = pages.get() ?? { page_count: 0, page_size: 0 };
    if (count * size > rewrittenMaxBytes) return 'partly';
    if (texts !== null && !(await hasLeftovers(main.file, count, size, texts))) return 'done';
    if (!(await tryAgain(() => rewrite(client)))) return 'busy';
    return (await tryAgain(() => truncateLog(client))) ? 'done' : 'busy';
  } finally {
    client.close();
  }
}

/** SQLite blocks the event loop while it waits, so it waits only briefly, and often. */
const waitForLockMs = 20;
const triesMax = 40;
const pauseMs = 25;

async function tryAgain(work: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    if (work()) return true;
    await Bun.sleep(pauseMs);
  }
  return false;
}

/** Moves the log into the file and empties it. False while others read from it or write to it. */
function truncateLog(client: SqliteFile): boolean {
  return client.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0;
}

function rewrite(client: SqliteFile): boolean {
  try {
    client.run('VACUUM');
    return true;
  } catch (error) {
    if (isSqliteBusy(error)) return false;
    throw error;
  }
}

/** How much of the start and end of a text is looked for: a part of a page may have been overwritten. */
const lookedForLength = 32;
const pagesReadAtOnce = 256;

async function hasLeftovers(
  file: string,
  count: number,
  size: number,
  texts: readonly string[],
): Promise<boolean> {
  const parts = texts.flatMap((text) => {
    const bytes = Buffer.from(text).toString('latin1').toLowerCase();
    return [bytes.slice(0, lookedForLength), bytes.slice(-lookedForLength)];
  });
  const sought = [...new Set(parts)].filter((part) => part !== '');
  const handle = await open(file, 'r');
  try {
    const buffer = Buffer.alloc(pagesReadAtOnce * size);
    for (let first = 0; first < count; first += pagesReadAtOnce) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, first * size);
      for (let start = 0; start + size <= bytesRead; start += size) {
        const free = freePartOf(buffer.subarray(start, start + size), first === 0 && start === 0);
        if (sought.some((part) => free.includes(part))) return true;
      }
    }
    return false;
  } finally {
    await handle.close();
  }
}

const pageTypes = { interiorIndex: 2, interiorTable: 5, leafIndex: 10, leafTable: 13 } as const;
const fileHeaderBytes = 100;

/** What lies between the pointers and the cells of a page of a B-tree: https://www.sqlite.org/fileformat.html#b_tree_pages */
function freePartOf(page: Buffer, isFirst: boolean): string {
  const header = isFirst ? fileHeaderBytes : 0;
  const type = page[header];
  const isInterior = type === pageTypes.interiorIndex || type === pageTypes.interiorTable;
  if (!isInterior && type !== pageTypes.leafIndex && type !== pageTypes.leafTable) return '';
  const pointers = header + (isInterior ? 12 : 8);
  const cells = page.readUInt16BE(header + 3);
  const firstCell = page.readUInt16BE(header + 5) || page.length;
  return page.toString('latin1', pointers + 2 * cells, firstCell).toLowerCase();
}

/** Each statement is bounded by the timeout of the pool. Without the right to vacuum, the server only warns. */
async function vacuumTables({ query, tables }: Database): Promise<Erasure> {
  let outcome: Erasure = 'done';
  for (const table of Object.values(tables)) {
    const options = sql.raw('SKIP_LOCKED, INDEX_CLEANUP ON, TRUNCATE OFF');
    try {
      await query.execute(sql`VACUUM (${options}) ${sql.identifier(getTableName(table))}`);
    } catch {
      outcome = 'partly';
    }
  }
  return outcome;
}
