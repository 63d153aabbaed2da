/** A store that serves reads but rejects writes is detected before a request fails on it, and without leaving a trace. */
import { expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { describeOutage } from '#db/describe-outage.ts';
import { freezeSettlesMs, guardFreeze } from '#db/transaction.ts';
import { openPostgres } from '#db/postgres.ts';
import { connectionOf } from '#db/prepared.ts';
import { freezeSetting } from '#db/schema/hub-tables.ts';
import { tryWrite } from '#db/try-write.ts';
import { createReadiness } from '#domain/check-readiness.ts';
import { createId } from '#runtime/create-id.ts';
import { rootPath } from '#test/harness/container-network.ts';
import { whyNoContainers } from '#test/harness/debian-root.ts';
import { expectRefusal } from '#test/harness/expect-end.ts';
import { failureOf } from '#test/harness/failure-of.ts';
import { databaseUrlOf } from '#test/harness/hub-command.ts';
import { runProgram } from '#test/harness/run-program.ts';
import { forEachStore, useScratchStore } from '#test/harness/stores.ts';
import { fileOf } from './raw-store.ts';

const obstacle = await whyNoContainers();
if (obstacle !== null) console.log(`Skipped: ${obstacle}.`);

const [sqlite, postgres] = [useScratchStore('sqlite'), useScratchStore('postgres')];

forEachStore((store) => {
  test('a store with free space and write permission takes a write, which leaves nothing behind', async () => {
    await tryWrite(store.db);
    expect(await store.db.query.select().from(store.db.tables.settingChanges)).toEqual([]);
  });

  test('a frozen store is tried too, and stores nothing', async () => {
    const { settingChanges } = store.db.tables;
    const frozenAt = new Date(Date.now() - freezeSettlesMs);
    const freeze = { id: createId(frozenAt), name: freezeSetting, after: '', createdAt: frozenAt };
    await store.db.transaction((tx) => tx.query.insert(settingChanges).values(freeze));
    // `close` is not called: the store of the test outlives the guard.
    const frozen = guardFreeze({ ...store.db, close: async () => undefined });
    await tryWrite(frozen);
    expect(await createReadiness(frozen, null).check()).toEqual([]);
    await store.db.transaction((tx) => tx.query.delete(settingChanges));
  });
});

test('the attempt on SQLite reaches its log, and the cache keeps its size', async () => {
  const log = `${fileOf(sqlite)}-wal`;
  const cacheSize = () =>
    sqlite.db.transaction(async (tx) => connectionOf(tx.query).query('PRAGMA cache_size').get());
  const before = await cacheSize();
  await sqlite.db.transaction(async (tx) => void connectionOf(tx.query).query('PRAGMA user_version').get());
  connectionOf(sqlite.db.query).query('PRAGMA wal_checkpoint(TRUNCATE)').all();
  const writtenAt = statSync(log, { bigint: true }).mtimeNs;
  await tryWrite(sqlite.db);
  expect(statSync(log, { bigint: true }).mtimeNs).toBeGreaterThan(writtenAt);
  expect(await cacheSize()).toEqual(before);
});

test('a SQLite file takes no write when its disk has less free space than required', async () => {
  await expect(tryWrite(sqlite.db, Number.MAX_SAFE_INTEGER)).rejects.toThrow('is full');
});

test('a read-only Postgres takes no write and is not ready', async () => {
  const url = databaseUrlOf(postgres.setting);
  const name = new URL(url).pathname.slice(1);
  await postgres.db.query.execute(
    sql`alter database ${sql.identifier(name)} set default_transaction_read_only = on`,
  );
  // New connections behave like connections to a standby.
  const readOnly = openPostgres(url);
  expect(describeOutage(await failureOf(tryWrite(readOnly)))).toStartWith(
    'The database does not accept writes: it is read-only',
  );
  expect(await createReadiness(readOnly, null).check()).toMatchObject([{ check: 'database' }]);
  await readOnly.close();
});

test('a write is shared for a while, also by callers at the same time', async () => {
  let writes = 0;
  const readiness = createReadiness(sqlite.db, {
    ping: async () => 'PONG',
    write: async () => void (writes += 1),
  });
  const [one, two] = await Promise.all([readiness.check(), readiness.check()]);
  expect([one, two, await readiness.check(), writes]).toEqual([[], [], [], 1]);
});

test.skipIf(obstacle !== null)(
  'a hub refuses to start over a SQLite file that it may only read',
  async () => {
    const file = fileOf(sqlite);
    const program = [process.execPath, join(import.meta.dir, '..', '..', 'cli', 'check-stores.ts')];
    const command = 'mount --bind "$FILE" "$FILE" && mount -o remount,ro,bind "$FILE" && exec "$@"';
    const env = { PATH: rootPath, FILE: file, DATABASE_URL: `sqlite:${file}` };
    const starting = runProgram(['unshare', '--mount', 'sh', '-c', command, 'sh', ...program], { env });
    await expectRefusal(starting, 78, 'cannot be opened for writing');
  },
);
