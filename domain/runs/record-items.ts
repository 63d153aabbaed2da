/** Stores what runners make of the cases of several runs at a time, so that an interrupted run can be resumed. */
import { asc, sql } from 'drizzle-orm';
import { inList, listParameter } from '#db/conditions.ts';
import { lockRows } from '#db/transaction.ts';
import { prepareForTransactions } from '#db/prepared.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { runLeaseMs } from './run-limits.ts';
import type { RunClaim } from './hold-run.ts';
import { type Progress, storeProgress } from './store-items.ts';

/** Of a run that a runner has claimed. */
export interface RecordedProgress extends RunClaim {
  readonly progress: Progress;
  /** How long the calls of the run have been delayed so far. */
  readonly delayedMs: number;
}

// Cases are stored often, so no statement is built for each batch.
const lockRuns = prepareForTransactions((db) => {
  const { runs } = db.tables;
  const wanted = inList(db, runs.id, sql.placeholder('ids'));
  return lockRows(db, db.query.select().from(runs).where(wanted).orderBy(asc(runs.id))).prepare('');
});

/** @returns for each item, in order, whether it was stored; false when another runner holds the claim */
export async function recordItems(ctx: Ctx, finished: readonly RecordedProgress[]): Promise<boolean[]> {
  return withTransaction(ctx, async (inner) => {
    const ids = listParameter([...new Set(finished.map((item) => item.runId))]);
    const found = new Map((await lockRuns(inner.db).execute({ ids })).map((run) => [run.id, run]));
    const isHeld = ({ runId, attempt }: RunClaim): boolean => {
      const run = found.get(runId);
      return run?.attempt === attempt && run.status === 'running';
    };
    const leaseUntil = new Date(inner.clock.now().getTime() + runLeaseMs);
    const byRun = Map.groupBy(finished.filter(isHeld), ({ runId }) => runId);
    const moved = [...found.values()].flatMap((run) => {
      const own = byRun.get(run.id);
      if (own === undefined) return [];
      const delayedMs = Math.max(run.delayedMs, ...own.map((one) => Math.round(one.delayedMs)));
      return [{ run: { ...run, leaseUntil, delayedMs }, progress: own.map(({ progress }) => progress) }];
    });
    if (moved.length > 0) {
      await storeProgress(inner, moved);
      crashPoint('cases.written');
    }
    return finished.map(isHeld);
  });
}
