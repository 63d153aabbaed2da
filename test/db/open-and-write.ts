/**
 * Run as a separate process by `migrate.test.ts`: opens the stores named on the command line one after the
 * other, each at the same instant as the other processes, and writes one row into each.
 */
import type { DatabaseSetting } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import { insertJobRow } from './job-rows.ts';

export interface Start {
  readonly setting: DatabaseSetting;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

const starts = JSON.parse(process.argv[2]!) as Start[]; // The test wrote it.
for (const { setting, atMs } of starts) {
  await Bun.sleep(Math.max(0, atMs - Date.now()));
  const db = await openDatabase(setting);
  await db.transaction((tx) => insertJobRow(tx));
  await db.close();
}
