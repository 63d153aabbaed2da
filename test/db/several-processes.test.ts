/**
 * Several processes write to one store concurrently: no update is lost, none waits forever, and no event loop
 * is blocked.
 */
import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { join } from 'node:path';
import { runTask } from '#test/harness/run-task.ts';
import { forEachStore } from '#test/harness/stores.ts';
import type { CountUp } from './count-up.ts';
import { insertJobRow } from './job-rows.ts';

const processCount = 4;
const transactionsEach = 60;
/** The time a process takes to load. */
const loadMs = 1_200;
/** Above the pauses of a busy machine, below the 5 seconds that a writer may wait for the lock. */
const pauseMaxMs = 4_500;

forEachStore((store) => {
  test(`${processCount} processes increment one row and insert rows of their own`, async () => {
    const { jobs } = store.db.tables;
    const rowId = await store.db.transaction((tx) => insertJobRow(tx));
    await store.db.transaction((tx) =>
      tx.query
        .update(jobs)
        .set({ payload: { count: 0 } })
        .where(eq(jobs.id, rowId)),
    );
    const task: CountUp = {
      setting: store.setting,
      rowId,
      transactions: transactionsEach,
      startAtMs: Date.now() + loadMs,
    };
    const outcomes = await Promise.all(
      Array.from({ length: processCount }, () =>
        runTask<{ longestPauseMs: number }>(join(import.meta.dirname, 'count-up.ts'), task),
      ),
    );
    const rows = await store.db.query.select().from(jobs);
    const total = processCount * transactionsEach;
    expect(rows.find((row) => row.id === rowId)?.payload).toEqual({ count: total });
    expect(rows).toHaveLength(total + 1);
    expect(Math.max(...outcomes.map((outcome) => outcome.longestPauseMs))).toBeLessThan(pauseMaxMs);
  });
});
