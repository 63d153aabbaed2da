/** Writes a store into a new SQLite file, under another name until it is complete. */
import { Database as SqliteFile } from 'bun:sqlite';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isAlive } from '#runtime/process/is-alive.ts';
import { migrateSqlite } from '../sqlite.ts';
import { syncPath } from '../sync-path.ts';
import { type MovedTable, sqliteInsert } from './moved-tables.ts';
import { type MoveTarget, MoveRefusal } from './move-target.ts';
import { openSqliteReader, readRows } from './row-readers.ts';

/** The draft of a move, until it is published. */
function draftOf(file: string): string {
  return `${file}.${process.pid}.moving`;
}

/** @throws MoveRefusal when the file exists */
export async function openSqliteTarget(file: string): Promise<MoveTarget> {
  if (existsSync(file)) {
    throw new MoveRefusal(`${file} exists. Move to a file that does not, or move this one away first.`);
  }
  clearDrafts(file);
  const draft = draftOf(file);
  await migrateSqlite(draft);
  const client = new SqliteFile(draft, { create: false, readwrite: true, strict: true });
  // A draft that is cut off is thrown away, so nothing needs to be durable until the end.
  for (const pragma of [
    'journal_mode = OFF',
    'synchronous = OFF',
    'foreign_keys = OFF',
    'cache_size = -64000',
  ])
    client.run(`PRAGMA ${pragma}`);
  const indexes = readRows(
    client,
    "select name, sql from sqlite_master where type = 'index' and sql is not null",
  );
  for (const { name } of indexes) client.run(`DROP INDEX "${String(name)}"`);
  return {
    write: async (table, lines) => {
      // The reader wrote them, with the columns of this table.
      const rows = JSON.parse(`[${lines.join(',')}]`) as (string | number | null)[][];
      const insert = client.prepare(sqliteInsert(table));
      try {
        client.run('BEGIN');
        for (const row of rows) insert.run(...row);
        client.run('COMMIT');
      } finally {
        insert.finalize();
      }
    },
    complete: async (lastNumbers) => {
      continueNumbers(client, lastNumbers);
      for (const { sql } of indexes) client.run(String(sql));
      const [broken] = readRows(client, 'PRAGMA foreign_key_check');
      if (broken !== undefined)
        throw new MoveRefusal(`A row of ${String(broken['table'])} refers to one that is missing.`);
      client.run('PRAGMA optimize');
      client.close();
    },
    setting: { kind: 'sqlite', file: draft },
    openReader: async () => openSqliteReader(draft, { isStopped: false }),
    publish: async () => {
      // The audit has opened the draft as a hub does, and left a log.
      const settled = new SqliteFile(draft, { create: false, readwrite: true, strict: true });
      settled.run('PRAGMA journal_mode = DELETE');
      settled.close();
      syncPath(draft);
      if (existsSync(file)) throw new MoveRefusal(`${file} was made while the move ran.`);
      renameSync(draft, file);
      syncPath(dirname(file));
    },
    close: async () => {
      client.close();
      removeDraft(draft);
    },
  };
}

function continueNumbers(client: SqliteFile, lastNumbers: ReadonlyMap<MovedTable, number>): void {
  for (const [{ name }, last] of lastNumbers) {
    client.run('DELETE FROM sqlite_sequence WHERE name = ?', [name]);
    if (last > 0) client.run('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', [name, last]);
  }
}

/** Removes what moves to this file have left that were killed. */
function clearDrafts(file: string): void {
  const folder = dirname(file);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(file)}.`)) continue;
    const [, pid] = /^\.(\d+)\.moving/.exec(name.slice(basename(file).length)) ?? [];
    if (pid === undefined) continue;
    if (isAlive(Number(pid)) && Number(pid) !== process.pid)
      throw new MoveRefusal(`Another move to ${file} is running, as process ${pid}.`);
    rmSync(join(folder, name), { force: true });
  }
}

function removeDraft(draft: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal', '.migration-lock'])
    rmSync(draft + suffix, { force: true });
}
