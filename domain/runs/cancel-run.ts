/** Runs that end before their last item: their agent cancels them, or their time is up. */
import type { RunRow } from '#db/schema/run-tables.ts';
import { type AgentCtx, type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { operation } from '../operation.ts';
import { lockOwnRun, lockRun, type OwnRunKey } from './find-run.ts';
import { hasEnded } from './run-outcome.ts';
import { productOf } from './products.ts';
import { isOverdue } from './run-limits.ts';
import { type EarlyEnd, endCasesEarly } from './end-cases.ts';
import { settleLockedRun } from './settle-run.ts';

/**
 * Ends a run. Before its first reply, or the first item of a ranked run, it fails and is refunded. After that, it is
 * completed and charged, and what has no answer scores 0, so that nobody can withdraw a bad result. Cancelling it again
 * changes nothing.
 *
 * @throws DomainError run_not_found, run_ended if it has ended otherwise
 */
export function cancelRun(ctx: AgentCtx, key: OwnRunKey): Promise<RunRow> {
  return withTransaction(ctx, async (inner) => {
    const run = await lockOwnRun(inner, key);
    if (run.cancelled) return run;
    switch (run.status) {
      case 'queued':
      case 'running':
        return endLockedRun(inner, run, 'cancelled');
      case 'completed':
      case 'failed':
        throw new DomainError('run_ended', `This run has already ${run.status}.`, {
          hint: `${operation('getRun')} shows its result. Only an open run can be cancelled.`,
        });
    }
  });
}

/** Whether the time of an open run is up, or what it asks is gone. */
export async function mustEnd(ctx: Ctx, run: RunRow): Promise<boolean> {
  if (isOverdue(ctx.clock.now(), run)) return true;
  return (await productOf(run).cases.plan(ctx, run)) === null;
}

/**
 * Ends a run that must end; see {@link mustEnd}. One transaction per run, because grading may take some time.
 * @returns the run, which may have been ended by somebody else
 */
export function endOverdueRun(ctx: Ctx, runId: string): Promise<RunRow> {
  return withTransaction(ctx, async (inner) => {
    const run = await lockRun(inner, { runId });
    if (hasEnded(run) || !(await mustEnd(inner, run))) return run;
    return endLockedRun(inner, run, 'overdue');
  });
}

/** Ends an open, locked run before its last item. */
export async function endLockedRun(ctx: TransactionCtx, run: RunRow, why: EarlyEnd): Promise<RunRow> {
  return settleLockedRun(ctx, run, await endCasesEarly(ctx, run, why, productOf(run).cases));
}
