/** Any number of processes may start on an empty store at once; the migrations run once and in full. */
import { expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Dialect } from '#db/dialect.ts';
import { openDatabase } from '#db/open-database.ts';
import { runProgram } from '#test/harness/run-program.ts';
import sqliteJournal from '#db/migrations/sqlite/meta/_journal.json';
import postgresJournal from '#db/migrations/postgres/meta/_journal.json';
import { insertJobRow } from './job-rows.ts';
import type { Start } from './open-and-write.ts';
import { appliedTables, selectRows } from './raw-store.ts';
import { usePlaces } from './use-places.ts';

const place = usePlaces();
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

const journals = { sqlite: sqliteJournal, postgres: postgresJournal };

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${processCount} processes started at once on an empty ${dialect} all start, and migrate it once`, async () => {
    const { count, apartMs } = rounds[dialect];
    const settings = await Promise.all(Array.from({ length: count }, () => place(dialect)));
    const firstAtMs = Date.now() + loadMs;
    const starts = settings.map((setting, round) => ({ setting, atMs: firstAtMs + round * apartMs }));
    expect(await runTogether(starts)).toEqual(Array(processCount).fill('ok'));
    for (const setting of settings) {
      const applied = await selectRows(setting, `select id from ${appliedTables[dialect]}`);
      expect(applied).toHaveLength(journals[dialect].entries.length);
      const db = await openDatabase(setting);
      expect(await db.query.select().from(db.tables.jobs)).toHaveLength(processCount);
      await db.close();
    }
  });
}

test('a new SQLite store and its WAL are readable only by their owner', async () => {
  const { file } = (await place('sqlite')) as { file: string };
  const below = join(dirname(file), 'data', 'hub.sqlite');
  const db = await openDatabase({ kind: 'sqlite', file: below });
  await db.transaction((tx) => insertJobRow(tx));
  const modes = [dirname(below), below, `${below}-wal`].map((name) => statSync(name).mode & 0o777);
  await db.close();
  expect(modes).toEqual([0o700, 0o600, 0o600]);
});
