/** A store that serves reads but rejects writes is detected before a request fails on it. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { isWritable } from '#db/is-writable.ts';
import { openPostgres } from '#db/postgres.ts';
import { checkReadiness } from '#domain/check-readiness.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';

let sqlite: ScratchStore;
let postgres: ScratchStore;
beforeAll(async () => {
  [sqlite, postgres] = await Promise.all([openScratchStore('sqlite'), openScratchStore('postgres')]);
});
afterAll(async () => {
  await Promise.all([sqlite.remove(), postgres.remove()]);
});

test('a store with free space and write permission is writable', async () => {
  expect(await isWritable(sqlite.db)).toBe(true);
  expect(await isWritable(postgres.db)).toBe(true);
});

test('a SQLite file is not writable when its disk has less free space than required', async () => {
  expect(await isWritable(sqlite.db, Number.MAX_SAFE_INTEGER)).toBe(false);
});

test('a read-only Postgres is neither writable nor ready', async () => {
  if (postgres.setting.kind !== 'postgres') throw new Error('not a Postgres store');
  const name = new URL(postgres.setting.url).pathname.slice(1);
  await postgres.db.query.execute(
    sql`alter database ${sql.identifier(name)} set default_transaction_read_only = on`,
  );
  // New connections behave like connections to a standby.
  const readOnly = openPostgres(postgres.setting.url);
  expect(await isWritable(readOnly)).toBe(false);
  expect(await checkReadiness(readOnly, null)).toMatchObject([{ check: 'database' }]);
  await readOnly.close();
});
