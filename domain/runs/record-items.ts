/** Stores finished items, of several runs at a time, so that an interrupted run can be resumed. */
import { asc, sql } from 'drizzle-orm';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { StoredItem } from '#evals/stored-item.ts';
import { addTokenUsage } from '#evals/token-usage.ts';
import { inList, listParameter } from '#db/in-list.ts';
import { insertStatement } from '#db/insert-statement.ts';
import { lockRows } from '#db/locks.ts';
import { prepareForTransactions } from '#db/prepare-once.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { runLeaseMs, runTopic } from './run-limits.ts';
import type { RunClaim } from './hold-run.ts';
import { insertItems, itemRow } from './store-items.ts';

export interface FinishedItem extends RunClaim {
  readonly result: StoredItem;
  /** How long the calls of the run have been delayed so far. */
  readonly delayedMs?: number;
}

// Cases are stored often, so no statement is built for each batch.
const lockRuns = prepareForTransactions((db) => {
  const { runs } = db.tables;
  const wanted = inList(db, runs.id, sql.placeholder('ids'));
  return lockRows(db, db.query.select().from(runs).where(wanted).orderBy(asc(runs.id))).prepare('');
});
const saveRuns = insertStatement('runs', {
  target: 'id',
  update: ['progressDone', 'delayedMs', 'usage', 'leaseUntil'],
});

/** @returns for each item, in order, whether it was stored; false when another runner holds the claim */
export async function recordItems(ctx: Ctx, finished: readonly FinishedItem[]): Promise<boolean[]> {
  return withTransaction(ctx, async (inner) => {
    const ids = listParameter([...new Set(finished.map((item) => item.runId))]);
    const found = await lockRuns(inner.db).execute({ ids });
    const now = inner.clock.now();
    const leaseUntil = new Date(now.getTime() + runLeaseMs);
    const runsById = new Map(found.map((run): [string, RunRow] => [run.id, { ...run, leaseUntil }]));
    const rows: ReturnType<typeof itemRow>[] = [];
    const stored = finished.map(({ runId, attempt, result, delayedMs = 0 }) => {
      const run = runsById.get(runId);
      if (run === undefined || run.attempt !== attempt || run.status !== 'running') return false;
      run.progressDone += 1;
      run.usage = addTokenUsage(run.usage, result.usage ?? null);
      run.delayedMs = Math.max(run.delayedMs, Math.round(delayedMs));
      rows.push(itemRow(run.id, run.progressDone, result, now));
      return true;
    });
    if (rows.length === 0) return stored;
    await insertItems(inner.db, rows);
    const moved = [...runsById.values()].filter((run) => rows.some((row) => row.runId === run.id));
    await saveRuns(inner.db, moved);
    crashPoint('cases.written');
    inner.db.afterCommit(() => {
      for (const run of moved) inner.publisher.signal(runTopic(run.id));
    });
    return stored;
  });
}
