/**
 * Measures `hub move` with many rows, from SQLite to Postgres and back, each as a process of its own: the time, its CPU
 * and its memory.
 *
 * Usage: bun bench/move.ts [rows, 1000000 by default]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { count } from 'drizzle-orm';
import type { Database, DatabaseSetting } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { seedLedger } from './seed-ledger.ts';
import { databaseUrlOf, sqliteStore, startPostgresStore } from './stores/bench-stores.ts';
import { inheritedEnvironment } from './processes/start-child.ts';

const entriesAtOnce = 20_000;
const bytesInMb = 1024 * 1024;
const microsecondsInSecond = 1_000_000;

const wanted = Number(process.argv[2] ?? 1_000_000);
if (!Number.isSafeInteger(wanted) || wanted < 1) throw new Error('Usage: bun bench/move.ts [rows]');

async function countRows({ query, tables }: Database): Promise<number> {
  let rows = 0;
  for (const table of Object.values(tables)) {
    const [counted] = await query.select({ rows: count() }).from(table);
    rows += counted?.rows ?? 0;
  }
  return rows;
}

async function seed(setting: DatabaseSetting): Promise<number> {
  const db = await openDatabase(setting);
  try {
    let rows = 0;
    while (rows < wanted) {
      await seedLedger(createTestCtx(db), Math.min(entriesAtOnce, Math.ceil(wanted / 4)));
      rows = await countRows(db);
    }
    return rows;
  } finally {
    await db.close();
  }
}

async function measure(from: DatabaseSetting, to: DatabaseSetting): Promise<void> {
  const startedAt = performance.now();
  const child = Bun.spawn([process.execPath, 'cli/hub.ts', 'move', '--to', databaseUrlOf(to)], {
    cwd: join(import.meta.dir, '..'),
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'ignore',
    env: { ...inheritedEnvironment(), DATA_DIR: folder, DATABASE_URL: databaseUrlOf(from) },
  });
  if ((await child.exited) !== 0) throw new Error(`The move to ${to.kind} failed.`);
  const seconds = (performance.now() - startedAt) / 1_000;
  const usage = child.resourceUsage();
  const cpu = Number(usage?.cpuTime.total ?? 0) / microsecondsInSecond;
  console.log(
    `${from.kind} to ${to.kind}: ${seconds.toFixed(1)} s, ${cpu.toFixed(1)} s of CPU, ${Math.round((usage?.maxRSS ?? 0) / bytesInMb)} MB at most`,
  );
}

const folder = mkdtempSync(join(tmpdir(), 'agent-hub-move-'));
const postgres = await startPostgresStore(join(folder, 'postgres'));
try {
  const sqlite = sqliteStore(folder);
  const source = await sqlite.createDatabase('source');
  const middle = await postgres.createDatabase('middle');
  const last = await sqlite.createDatabase('last');
  console.log(`${await seed(source)} rows`);
  await measure(source, middle);
  await measure(middle, last);
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
