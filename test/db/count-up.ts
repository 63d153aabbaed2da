/**
 * Run as a separate process by `several-processes.test.ts`: in each of many transactions, increments a number
 * in a row and inserts a row; prints the longest time its event loop was blocked.
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
    // The no-op update takes the row lock on Postgres.
    const [row] = await tx.query.update(jobs).set({ kind: 'count' }).where(eq(jobs.id, rowId)).returning();
    const { count } = row!.payload as { count: number }; // The test stored it in this form.
    await insertJobRow(tx);
    await tx.query
      .update(jobs)
      .set({ payload: { count: count + 1 } })
      .where(eq(jobs.id, rowId));
  });
}

// Two at a time, so that the writers of one process also wait for each other.
const half = Math.ceil(transactions / 2);
await Promise.all(
  [half, transactions - half].map(async (share) => {
    for (let done = 0; done < share; done += 1) await countOne();
  }),
);
clearInterval(ticking);
await db.close();
console.log(JSON.stringify({ longestPauseMs }));
