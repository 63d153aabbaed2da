/** Stores finished items, of several runs at a time, so that an interrupted run can be resumed. */
import { asc, sql } from 'drizzle-orm';
import type { LeaseRow, RunRow } from '#db/schema/run-tables.ts';
import type { StoredItem } from '#evals/stored-item.ts';
import { addTokenUsage } from '#evals/token-usage.ts';
import { inList, listParameter } from '#db/conditions.ts';
import { insertStatement } from '#db/insert-statement.ts';
import { lockRows } from '#db/transaction.ts';
import { prepareForTransactions } from '#db/prepared.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { runLeaseMs, runTopic } from './run-limits.ts';
import type { RunClaim } from './hold-run.ts';
import { deleteLeases, type OpenItem, openRow, saveLeases } from './leases.ts';
import { insertItems, itemRow } from './store-items.ts';

export interface FinishedItem extends RunClaim {
  readonly result: StoredItem;
  /** Whether steps of it were stored before. */
  readonly isBegun?: boolean;
  /** How long the calls of the run have been delayed so far. */
  readonly delayedMs?: number;
}

/** What a step of a conversation came to: a result, or the next step. */
export type RecordedProgress =
  | FinishedItem
  | (Omit<FinishedItem, 'result' | 'isBegun'> & { readonly open: OpenItem });

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
export async function recordItems(ctx: Ctx, finished: readonly RecordedProgress[]): Promise<boolean[]> {
  return withTransaction(ctx, async (inner) => {
    const ids = listParameter([...new Set(finished.map((item) => item.runId))]);
    const found = await lockRuns(inner.db).execute({ ids });
    const now = inner.clock.now();
    const leaseUntil = new Date(now.getTime() + runLeaseMs);
    const runsById = new Map(found.map((run): [string, RunRow] => [run.id, { ...run, leaseUntil }]));
    const rows: ReturnType<typeof itemRow>[] = [];
    const openRows: LeaseRow[] = [];
    const ended: Pick<LeaseRow, 'runId' | 'itemIndex'>[] = [];
    const movedIds = new Set<string>();
    const stored = finished.map((one) => {
      const { runId, attempt, delayedMs = 0 } = one;
      const run = runsById.get(runId);
      if (run === undefined || run.attempt !== attempt || run.status !== 'running') return false;
      run.delayedMs = Math.max(run.delayedMs, Math.round(delayedMs));
      movedIds.add(runId);
      if ('open' in one) {
        openRows.push(openRow(runId, one.open, now));
        return true;
      }
      const { result, isBegun = false } = one;
      run.progressDone += 1;
      run.usage = addTokenUsage(run.usage, result.usage ?? null);
      rows.push(itemRow(run.id, run.progressDone, result, now));
      if (isBegun) ended.push({ runId, itemIndex: result.index });
      return true;
    });
    if (movedIds.size === 0) return stored;
    if (rows.length > 0) await insertItems(inner.db, rows);
    await deleteLeases(inner, ended);
    await saveLeases(inner, openRows);
    const moved = [...runsById.values()].filter((run) => movedIds.has(run.id));
    await saveRuns(inner.db, moved);
    crashPoint('cases.written');
    inner.db.afterCommit(() => {
      for (const run of moved) inner.publisher.signal(runTopic(run.id));
    });
    return stored;
  });
}
