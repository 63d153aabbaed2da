/**
 * Run as a process of its own by `several-processes.test.ts`: adds one to a number kept in a row, and adds a row, in each
 * of many transactions; prints the longest time for which its event loop stood still.
 */
import { eq } from 'drizzle-orm';
import type { DatabaseSetting } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import { insertJobRow } from './job-rows.ts';

export interface CountUp {
  readonly setting: DatabaseSetting;
  readonly rowId: string;
  readonly transactions: number;
  /** Milliseconds since the epoch. */
  readonly startAtMs: number;
}

const { setting, rowId, transactions, startAtMs } = JSON.parse(process.argv[2]!) as CountUp; // The test wrote it.
const db = await openDatabase(setting);
const { jobs } = db.tables;
await Bun.sleep(Math.max(0, startAtMs - Date.now()));

let longestPauseMs = 0;
let lastTick = performance.now();
const ticking = setInterval(() => {
  longestPauseMs = Math.max(longestPauseMs, performance.now() - lastTick);
  lastTick = performance.now();
}, 2);

async function countOne(): Promise<void> {
  await db.transaction(async (tx) => {
    // The update that changes nothing is the row lock on Postgres.
    const [row] = await tx.query.update(jobs).set({ kind: 'count' }).where(eq(jobs.id, rowId)).returning();
    const { count } = row!.payload as { count: number }; // The test stored it so.
    await insertJobRow(tx);
    await tx.query
      .update(jobs)
      .set({ payload: { count: count + 1 } })
      .where(eq(jobs.id, rowId));
  });
}

// Two at a time, so that the writers of one process wait for each other as well as for the other processes.
const half = Math.ceil(transactions / 2);
await Promise.all(
  [half, transactions - half].map(async (share) => {
    for (let done = 0; done < share; done += 1) await countOne();
  }),
);
clearInterval(ticking);
await db.close();
console.log(JSON.stringify({ longestPauseMs }));
