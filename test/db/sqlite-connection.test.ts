/** A connection caches its recent statements, and releases its file. */
import type { Statement } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteConnection } from '#db/sqlite-connection.ts';

const all = 'SELECT number FROM numbers';

test('a statement is prepared once, and still works after others have evicted it from the cache', () => {
  const connection = new SqliteConnection(':memory:', { strict: true });
  connection.run('CREATE TABLE numbers (number integer)');
  const first: Statement = connection.prepare(all);
  expect<Statement>(connection.prepare(all)).toBe(first);
  for (let number = 0; number < 400; number += 1) {
    const insert: Statement = connection.prepare(`INSERT INTO numbers VALUES (${number})`);
    insert.run();
  }
  expect(first.values()).toHaveLength(400);
  expect<Statement>(connection.prepare(all)).not.toBe(first);
  connection.close();
});

test('a closed connection does not keep its file open', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-hub-connection-'));
  const file = join(folder, 'hub.db');
  const connection = new SqliteConnection(file, { create: true, strict: true });
  connection.run('PRAGMA journal_mode = WAL');
  connection.run('CREATE TABLE numbers (number integer)');
  const statement: Statement = connection.prepare(all);
  expect([statement.values(), existsSync(`${file}-wal`)]).toEqual([[], true]);
  connection.close();
  // SQLite removes it when the last connection to the file is closed.
  expect(existsSync(`${file}-wal`)).toBe(false);
  rmSync(folder, { recursive: true });
});
