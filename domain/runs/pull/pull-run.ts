/** The state and the limits of pull mode, in which an agent fetches the cases of its run and submits the replies itself. */
import { asc, eq, max } from 'drizzle-orm';
import type { LeaseRow, RunRow } from '#db/schema/run-tables.ts';
import type { AgentCtx, Ctx, TransactionCtx } from '../../context.ts';
import { endOverdueRun, mustEnd, scoreOrRefund } from '../cancel-run.ts';
import { findOwnRun, type OwnRunKey, requirePullMode } from '../find-run.ts';
import { hasEnded } from '../run-outcome.ts';
import { productOf } from '../products.ts';
import type { RecordedItem, RunPlan } from '../run-plan.ts';
import { settleRun } from '../settle-run.ts';
import { listItemsInParts, type Progress, storeProgress } from '../store-items.ts';

/** The lease of a case, unless its worker renews it. */
export const leaseMs = 10 * 60 * 1_000;
/** How often a step of a case can be leased. */
export const handOutsMax = 2;

/** A worker holds at most a few cases, so this is no limit for a hundred of them. It bounds what a request reads. */
export const leasedMax = 1_000;

/** What a request needs to know of a run, however many of its cases are recorded. */
export interface PullState {
  /** Empty if the plan is not adaptive. */
  readonly recorded: readonly RecordedItem[];
  /** By the index of their items, in order. An item has one from its first lease until it is recorded. */
  readonly leases: ReadonlyMap<number, LeaseRow>;
  /** Items are leased in order: all before this one are leased or recorded, and no other is. */
  readonly nextIndex: number;
}

/**
 * The acting agent's own run, which ends here if it must.
 *
 * @throws DomainError run_not_found, not_pull_mode
 */
export async function findOwnPullRun(ctx: AgentCtx, key: OwnRunKey): Promise<RunRow> {
  const run = requirePullMode(await findOwnRun(ctx, key));
  return !hasEnded(run) && (await mustEnd(ctx, run)) ? endOverdueRun(ctx, run.id) : run;
}

/** For a caller that has just checked that the plan exists. */
export async function requirePlan(ctx: Pick<Ctx, 'db' | 'rules'>, run: RunRow): Promise<RunPlan> {
  const plan = await productOf(run).cases.plan(ctx, run);
  if (plan === null) {
    throw new Error('The plan of the run was not checked before its cases were generated.');
  }
  return plan;
}

export async function readPullState(ctx: Ctx, runId: string, plan: RunPlan): Promise<PullState> {
  const { runItems, runLeases } = ctx.db.tables;
  const rows = await ctx.db.query
    .select()
    .from(runLeases)
    .where(eq(runLeases.runId, runId))
    .orderBy(asc(runLeases.itemIndex));
  const [newest] = await ctx.db.query
    .select({ index: max(runItems.itemIndex) })
    .from(runItems)
    .where(eq(runItems.runId, runId));
  return {
    recorded: await readRecorded(ctx, runId, plan),
    leases: new Map(rows.map((row) => [row.itemIndex, row])),
    nextIndex: 1 + Math.max(newest?.index ?? -1, rows.at(-1)?.itemIndex ?? -1),
  };
}

/** What the plan depends on. */
export async function readRecorded({ db }: Ctx, runId: string, plan: RunPlan): Promise<RecordedItem[]> {
  if (!plan.isAdaptive) return [];
  const { runItems } = db.tables;
  return db.query
    .select({ index: runItems.itemIndex, score: runItems.share })
    .from(runItems)
    .where(eq(runItems.runId, runId));
}

/**
 * Stores what came of steps in a run that the caller has locked, and ends the run with its last case.
 *
 * @returns whether the run has ended
 */
export async function storePulled(
  ctx: TransactionCtx,
  run: RunRow,
  progress: readonly Progress[],
): Promise<boolean> {
  if (progress.length > 0) await storeProgress(ctx, [{ run, progress }]);
  const finished = progress.filter((one) => 'result' in one);
  if (run.progressDone + finished.length < run.progressTotal) return false;
  const plan = await requirePlan(ctx, run);
  const recorded = await listItemsInParts(ctx, run.id, (item) => plan.scored(item));
  const outcome = await scoreOrRefund(run, plan, recorded);
  return settleRun(ctx, { runId: run.id, attempt: run.attempt, outcome, jobId: null });
}
