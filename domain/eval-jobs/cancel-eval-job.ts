import type { EvalJobRow } from '#db/schema/eval-tables.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { settleEvalJob } from './settle-eval-job.ts';
import { type EvalJobKey, findOwnEvalJob } from './show-eval-job.ts';

/**
 * Ends and refunds a run before its first case is asked. Cancelling it again changes nothing.
 *
 * @throws DomainError eval_job_not_found; eval_job_ended if the run has ended or begun
 */
export function cancelEvalJob(ctx: AgentCtx, key: EvalJobKey): Promise<EvalJobRow> {
  return withTransaction(ctx, async (inner) => {
    const { attempt } = await findOwnEvalJob(inner, key);
    const outcome = { kind: 'failed', code: 'cancelled', message: 'You cancelled the run.' } as const;
    await settleEvalJob(inner, { ...key, attempt, from: 'queued', outcome, jobId: null });
    const job = await findOwnEvalJob(inner, key);
    if (job.failureCode === 'cancelled') return job;
    throw new DomainError('eval_job_ended', `This run is ${job.status}, so it can no longer be cancelled.`, {
      hint: 'Only a run that is queued, or whose cases were never fetched, can be cancelled.',
    });
  });
}
