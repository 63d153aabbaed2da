/** The state and the limits of pull mode, in which an agent fetches the cases of its run and submits the replies itself. */
import { eq } from 'drizzle-orm';
import type { LeaseRow, RunRow } from '#db/schema/run-tables.ts';
import type { StoredItem } from '#evals/stored-item.ts';
import type { AgentCtx, Ctx, TransactionCtx } from '../../context.ts';
import { DomainError } from '../../errors.ts';
import { operation } from '../../operation.ts';
import { endOverdueRun, mustEnd } from '../cancel-run.ts';
import { findOwnRun, hasEnded, type OwnRunKey, requirePullMode } from '../find-run.ts';
import { productOf } from '../products.ts';
import { runTopic } from '../run-limits.ts';
import type { RecordedItem, RunPlan } from '../run-plan.ts';
import { settleRun } from '../settle-run.ts';
import { listItems, storeItems } from '../store-items.ts';

/** The lease of a case. */
export const leaseMs = 10 * 60 * 1_000;
/** How often a turn of a case can be leased. */
export const handOutsMax = 2;

export interface PullState {
  readonly recorded: readonly RecordedItem[];
  readonly handOuts: ReadonlyMap<number, LeaseRow>;
}

/**
 * The acting agent's own run, which ends here if it must.
 *
 * @throws DomainError run_not_found, or the code of the product; not_pull_mode
 */
export async function findOwnPullRun(ctx: AgentCtx, key: OwnRunKey): Promise<RunRow> {
  const run = requirePullMode(await findOwnRun(ctx, key));
  const { cases, describe } = productOf(run);
  if (cases === null) {
    throw new DomainError('product_mismatch', `Run ${run.id} is an ${describe.noun}, which has no cases.`, {
      hint: `Fetch its ${describe.items}: ${operation(describe.next)}.`,
    });
  }
  return !hasEnded(run) && (await mustEnd(ctx, run)) ? endOverdueRun(ctx, run.id) : run;
}

/** For a caller that has just checked that the plan exists. */
export async function requirePlan(ctx: Pick<Ctx, 'db' | 'rules'>, run: RunRow): Promise<RunPlan> {
  const plan = await productOf(run).cases?.plan(ctx, run);
  if (plan === null || plan === undefined) {
    throw new Error('The plan of the run was not checked before its cases were generated.');
  }
  return plan;
}

export async function readPullState({ db }: Ctx, runId: string): Promise<PullState> {
  const { runItems, runLeases } = db.tables;
  const recorded = await db.query
    .select({ index: runItems.itemIndex, share: runItems.share })
    .from(runItems)
    .where(eq(runItems.runId, runId));
  const handOuts = await db.query.select().from(runLeases).where(eq(runLeases.runId, runId));
  return {
    recorded: recorded.map(({ index, share }) => ({ index, score: share ?? 0 })),
    handOuts: new Map(handOuts.map((row) => [row.itemIndex, row])),
  };
}

/**
 * Stores finished cases of a run that the caller has locked, and ends the run with its last case.
 *
 * @returns whether the run has ended
 */
export async function storePulledItems(
  ctx: TransactionCtx,
  run: RunRow,
  finished: readonly StoredItem[],
): Promise<boolean> {
  if (finished.length > 0) {
    await storeItems(ctx, run, finished);
    ctx.db.afterCommit(() => ctx.publisher.signal(runTopic(run.id)));
  }
  if (run.progressDone + finished.length < run.progressTotal) return false;
  const plan = await requirePlan(ctx, run);
  const outcome = plan.score({ run, finishedAt: ctx.clock.now() }, await listItems(ctx, run.id));
  return settleRun(ctx, { runId: run.id, attempt: run.attempt, outcome, jobId: null });
}
