import type { RunRow } from '#db/schema/run-tables.ts';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { caseSourceOf, withMissingInError } from './case-source.ts';
import { completedOutcome } from './completed-outcome.ts';
import { type RunOutcome, settleLockedRun } from '../runs/settle-run.ts';
import { type EvalJobKey, listCases, lockOwnEvalJob } from './show-eval-job.ts';
import { suiteOfRun } from './suite-of-run.ts';
import { operation } from '../operation.ts';

/**
 * Ends a run. Before its first case was fetched or sent, it fails and is refunded. After that, it is completed and
 * charged, and the cases without an answer score 0, so that nobody can withdraw a bad result. Cancelling it again
 * changes nothing.
 *
 * @throws DomainError eval_job_not_found; eval_job_ended if the run has ended otherwise
 */
export function cancelEvalJob(ctx: AgentCtx, { runId }: EvalJobKey): Promise<RunRow> {
  return withTransaction(ctx, async (inner) => {
    const job = await lockOwnEvalJob(inner, { runId });
    if (job.cancelled) return job;
    switch (job.status) {
      case 'queued':
      case 'running':
        return settleLockedRun(inner, job, await outcomeOf(inner, job));
      case 'completed':
      case 'failed':
        throw new DomainError('eval_job_ended', `This run has already ${job.status}.`, {
          hint: `${operation('getEvalJob')} shows its result. Only an open run can be cancelled.`,
        });
    }
  });
}

async function outcomeOf(ctx: TransactionCtx, job: RunRow): Promise<RunOutcome> {
  const suite = suiteOfRun(ctx, job);
  // Without its suite, a run cannot be scored, which is the hub's fault.
  if (job.status === 'queued' || suite === null) {
    return {
      kind: 'failed',
      code: 'cancelled',
      message: 'You cancelled the run before it began, so it was refunded.',
    };
  }
  const recorded = await listCases(ctx, { runId: job.id });
  const all = withMissingInError(caseSourceOf(suite, job), recorded, 'cancelled');
  const finishedAt = ctx.clock.now();
  const missing = all.slice(recorded.length);
  return { ...completedOutcome({ job, pack: suite.pack, finishedAt }, recorded, missing), cancelled: true };
}
