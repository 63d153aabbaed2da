import type { RunRow } from '#db/schema/run-tables.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../../context.ts';
import { caseSourceOf, withMissingInError } from '../case-source.ts';
import { completedOutcome } from '../completed-outcome.ts';
import { type RunOutcome, settleLockedRun } from '../../runs/settle-run.ts';
import { suiteGoneMessage, suiteOfRun } from '../suite-of-run.ts';
import { hasEnded, lockRun } from '../../runs/find-run.ts';
import { listCases } from '../show-eval-job.ts';
import { mustEnd } from './pull-run.ts';

/**
 * Ends a run whose time is up or whose suite is gone: unanswered cases count as errors and score 0. A run whose cases
 * were never fetched is refunded, unless it is ranked.
 */
export function endPullRun(ctx: Ctx, runId: string): Promise<RunRow> {
  return withTransaction(ctx, async (inner) => {
    const job = await lockRun(inner, { runId });
    if (hasEnded(job) || !mustEnd(inner, job)) return job;
    return settleLockedRun(inner, job, await outcomeOf(inner, job));
  });
}

async function outcomeOf(ctx: TransactionCtx, job: RunRow): Promise<RunOutcome> {
  const suite = suiteOfRun(ctx, job);
  if (suite === null) {
    return { kind: 'failed', code: 'internal', message: `${suiteGoneMessage} The run was refunded.` };
  }
  if (job.status === 'queued' && !job.ranked) {
    const message = 'No case was fetched within 24 hours. The run was refunded.';
    return { kind: 'failed', code: 'deadline_exceeded', message };
  }
  const recorded = await listCases(ctx, { runId: job.id });
  const all = withMissingInError(caseSourceOf(suite, job), recorded, 'not_answered');
  return completedOutcome(
    { job, pack: suite.pack, finishedAt: ctx.clock.now() },
    recorded,
    all.slice(recorded.length),
  );
}
