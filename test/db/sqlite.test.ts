/** SQLite connections prepare each statement once; transactions take turns, and let other events run between them. */
import type { Statement } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createWriterLock, SqliteConnection } from '#db/sqlite.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';

const folder = useTestFolder();
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
  const file = join(folder, 'hub.db');
  const connection = new SqliteConnection(file, { create: true, strict: true });
  connection.run('PRAGMA journal_mode = WAL');
  connection.run('CREATE TABLE numbers (number integer)');
  const statement: Statement = connection.prepare(all);
  expect([statement.values(), existsSync(`${file}-wal`)]).toEqual([[], true]);
  connection.close();
  // SQLite removes it when the last connection to the file is closed.
  expect(existsSync(`${file}-wal`)).toBe(false);
});

test('values that SQLite does not plan for are compared, limited and stored like others', () => {
  const connection = new SqliteConnection(':memory:', { strict: true });
  connection.run('CREATE TABLE cells (id integer primary key, word text, amount integer, bytes blob)');
  connection.run('CREATE INDEX by_word ON cells (word)');
  const insert: Statement = connection.prepare('INSERT INTO cells (word, amount, bytes) VALUES (?, ?, ?)');
  insert.run('12', 12, Buffer.from([1, 2]));
  insert.run('what = ?', -3, null);
  insert.run(null, null, Buffer.from([3]));
  const rows = (text: string, ...values: (string | number | null | Buffer)[]): unknown[] => {
    const statement: Statement = connection.prepare(text);
    return statement.values(...values).flat();
  };
  expect(rows('SELECT id FROM cells WHERE word = ?', '12')).toEqual([1]);
  expect(rows('SELECT id FROM cells WHERE word = ?', 12)).toEqual([1]);
  expect(rows('SELECT id FROM cells WHERE amount = ?', '12')).toEqual([1]);
  expect(rows('SELECT id FROM cells WHERE bytes = ?', Buffer.from([3]))).toEqual([3]);
  expect(rows('SELECT id FROM cells WHERE word = ?', null)).toEqual([]);
  expect(rows('SELECT id FROM cells WHERE word <> ? ORDER BY id LIMIT ? OFFSET ?', 'x', 1, 1)).toEqual([2]);
  expect(rows('SELECT id FROM cells WHERE amount >= ? ORDER BY id desc LIMIT ?', -3, 1)).toEqual([2]);
  const change: Statement = connection.prepare('UPDATE cells SET "word" = ?, "bytes" = ? WHERE id = ?');
  change.run('13', Buffer.from([9]), 3);
  expect(rows('SELECT word, typeof(word), typeof(bytes) FROM cells WHERE id = ?', 3)).toEqual([
    '13',
    'text',
    'blob',
  ]);
  const plan = rows('EXPLAIN QUERY PLAN SELECT id FROM cells WHERE word = ? ORDER BY id LIMIT ?', 'x', 1);
  expect(plan.join(' ')).toContain('by_word (word=?)');
  connection.close();
});

test('a statement is not planned again for the values of its parameters', () => {
  const connection = new SqliteConnection(':memory:', { strict: true });
  connection.run('CREATE TABLE rows (id integer primary key, kind text)');
  connection.run("CREATE INDEX done ON rows (id) WHERE kind = 'done'");
  // A value that is known makes the partial index usable.
  const plan: Statement = connection.prepare('EXPLAIN QUERY PLAN SELECT id FROM rows WHERE kind = ?');
  expect(JSON.stringify(plan.all('done'))).not.toContain('done');
  const plain: Statement = connection.prepare('EXPLAIN SELECT id FROM rows ORDER BY kind LIMIT ?');
  // A known limit stands in the program as a constant.
  const limits = (value: number) =>
    plain.all(value).filter((step) => (step as { opcode: string }).opcode === 'Integer');
  expect(limits(77)).toEqual(limits(88));
  connection.close();
});

test('many transactions in a row do not keep other events waiting', async () => {
  const withLock = createWriterLock(5_000);
  let running = 0;
  let events = 0;
  const timer = setInterval(() => (events += 1), 1);
  const block = async (): Promise<void> => {
    expect(++running).toBe(1);
    const startedAt = performance.now();
    // As a commit does.
    while (performance.now() - startedAt < 5);
    running -= 1;
  };
  await Promise.all(Array.from({ length: 60 }, () => withLock(block)));
  clearInterval(timer);
  // 300 ms of blocking work, with a break about every 20 ms.
  expect(events).toBeGreaterThan(4);
});
