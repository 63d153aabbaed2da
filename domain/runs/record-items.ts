/** Stores finished items, of several runs at a time, so that an interrupted run can be resumed. */
import { asc, inArray, sql } from 'drizzle-orm';
import type { StoredItem } from '#evals/stored-item.ts';
import { addTokenUsage } from '#evals/suite/token-usage.ts';
import { lockRows } from '#db/locks.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { runLeaseMs, runTopic } from './run-limits.ts';
import type { RunClaim } from './hold-run.ts';
import { itemRow } from './store-items.ts';

export interface FinishedItem extends RunClaim {
  readonly result: StoredItem;
  /** How long the calls of the run have been delayed so far. */
  readonly delayedMs?: number;
}

/** @returns for each item, in order, whether it was stored; false when another runner holds the claim */
export async function recordItems(ctx: Ctx, finished: readonly FinishedItem[]): Promise<boolean[]> {
  return withTransaction(ctx, async (inner) => {
    const { runs, runItems } = inner.db.tables;
    const jobIds = [...new Set(finished.map((item) => item.runId))];
    const jobs = await lockRows(
      inner.db,
      inner.db.query.select().from(runs).where(inArray(runs.id, jobIds)).orderBy(asc(runs.id)),
    );
    const now = inner.clock.now();
    const leaseUntil = new Date(now.getTime() + runLeaseMs);
    const jobsById = new Map(jobs.map((job) => [job.id, { ...job, leaseUntil }]));
    const rows: (typeof runItems.$inferInsert)[] = [];
    const stored = finished.map(({ runId, attempt, result, delayedMs = 0 }) => {
      const job = jobsById.get(runId);
      if (job === undefined || job.attempt !== attempt || job.status !== 'running') return false;
      job.progressDone += 1;
      job.usage = addTokenUsage(job.usage, result.usage ?? null);
      job.delayedMs = Math.max(job.delayedMs, Math.round(delayedMs));
      rows.push(itemRow(job.id, job.progressDone, result, now));
      return true;
    });
    if (rows.length === 0) return stored;
    await inner.db.query.insert(runItems).values(rows);
    const moved = [...jobsById.values()].filter((job) => rows.some((row) => row.runId === job.id));
    await inner.db.query
      .insert(runs)
      .values(moved)
      .onConflictDoUpdate({
        target: runs.id,
        set: {
          progressDone: sql`excluded.progress_done`,
          delayedMs: sql`excluded.delayed_ms`,
          usage: sql`excluded.usage`,
          leaseUntil: sql`excluded.lease_until`,
        },
      });
    crashPoint('cases.written');
    inner.db.afterCommit(() => {
      for (const job of moved) inner.publisher.signal(runTopic(job.id));
    });
    return stored;
  });
}
