/** Any number of processes may start on an empty store at once; the migrations run once and in full. */
import { expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSetting } from '#db/database.ts';
import type { Dialect } from '#db/dialect.ts';
import { openDatabase } from '#db/open-database.ts';
import { runProgram } from '#test/harness/run-program.ts';
import { createPlace } from '#test/harness/stores.ts';
import sqliteJournal from '#db/migrations/sqlite/meta/_journal.json';
import postgresJournal from '#db/migrations/postgres/meta/_journal.json';
import { insertJobRow } from './job-rows.ts';
import type { Start } from './open-and-write.ts';
import { selectRows } from './raw-store.ts';

const processCount = 4;
/** The time a process takes to load before it can open anything. */
const loadMs = 800;
/** A race does not show every time. A round must end before the next one starts. */
const rounds: Record<Dialect, { count: number; apartMs: number }> = {
  sqlite: { count: 20, apartMs: 120 },
  postgres: { count: 3, apartMs: 1_500 },
};

async function runTogether(starts: readonly Start[]): Promise<string[]> {
  const command = [process.execPath, join(import.meta.dirname, 'open-and-write.ts'), JSON.stringify(starts)];
  const starters = Array.from({ length: processCount }, () => runProgram(command));
  const ends = await Promise.all(starters);
  return ends.map(({ exitCode, complaints }) => (exitCode === 0 ? 'ok' : complaints));
}

async function countMigrations(setting: DatabaseSetting): Promise<number> {
  const table = setting.kind === 'sqlite' ? '__drizzle_migrations' : 'drizzle.__drizzle_migrations';
  return (await selectRows(setting, `select id from ${table}`)).length;
}

const migrationCounts: Record<Dialect, number> = {
  sqlite: sqliteJournal.entries.length,
  postgres: postgresJournal.entries.length,
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${processCount} processes started at once on an empty ${dialect} all start, and migrate it once`, async () => {
    const { count, apartMs } = rounds[dialect];
    const places = await Promise.all(Array.from({ length: count }, () => createPlace(dialect)));
    try {
      const firstAtMs = Date.now() + loadMs;
      const starts = places.map(({ setting }, round) => ({ setting, atMs: firstAtMs + round * apartMs }));
      expect(await runTogether(starts)).toEqual(Array(processCount).fill('ok'));
      for (const { setting } of places) {
        expect(await countMigrations(setting)).toBe(migrationCounts[dialect]);
        const db = await openDatabase(setting);
        expect(await db.query.select().from(db.tables.jobs)).toHaveLength(processCount);
        await db.close();
      }
    } finally {
      for (const place of places) await place.remove();
    }
  });
}

test('opening an up-to-date store applies nothing and loses nothing', async () => {
  for (const dialect of ['sqlite', 'postgres'] as const) {
    const place = await createPlace(dialect);
    for (let time = 1; time <= 3; time += 1) {
      const db = await openDatabase(place.setting);
      await db.transaction((tx) => insertJobRow(tx));
      expect(await db.query.select().from(db.tables.jobs)).toHaveLength(time);
      await db.close();
    }
    expect(await countMigrations(place.setting)).toBe(migrationCounts[dialect]);
    await place.remove();
  }
});

test('a new SQLite store and its WAL are readable only by their owner', async () => {
  const place = await createPlace('sqlite');
  const { file } = place.setting as { file: string };
  const below = join(dirname(file), 'data', 'hub.sqlite');
  const db = await openDatabase({ kind: 'sqlite', file: below });
  await db.transaction((tx) => insertJobRow(tx));
  const modes = [dirname(below), below, `${below}-wal`].map((name) => statSync(name).mode & 0o777);
  await db.close();
  await place.remove();
  expect(modes).toEqual([0o700, 0o600, 0o600]);
});
