import type { RunRow } from '#db/schema/run-tables.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { findOpenTask, gradeOpenTask, hasBegun } from './end-task.ts';
import { completeAgentRun, refundAgentRun } from './settle-agent-run.ts';
import { type AgentRunKey, lockOwnAgentRun } from './show-agent-run.ts';
import { operation } from '../operation.ts';

/**
 * Ends a run. Before its first task was fetched or sent, it fails and is refunded. After that, it is completed and
 * charged, and the tasks that have not ended score 0. Cancelling it again changes nothing.
 *
 * @throws DomainError agent_run_not_found; agent_run_ended if the run has ended otherwise
 */
export function cancelAgentRun(ctx: AgentCtx, { runId }: AgentRunKey): Promise<RunRow> {
  return withTransaction(ctx, async (inner) => {
    const run = await lockOwnAgentRun(inner, { runId });
    if (run.cancelled) return run;
    switch (run.status) {
      case 'queued':
      case 'running': {
        const open = await findOpenTask(inner, run);
        if (!hasBegun(run, open)) {
          return refundAgentRun(inner, run, {
            code: 'cancelled',
            message: 'You cancelled the run before it began, so it was refunded.',
          });
        }
        // A task whose agent has not called `finish` is never useful.
        const graded = open === null ? run : await gradeOpenTask(inner, run, open);
        return completeAgentRun(inner, graded, { cancelled: true });
      }
      case 'completed':
      case 'failed':
        throw new DomainError('agent_run_ended', `This run has already ${run.status}.`, {
          hint: `${operation('getAgentRunsById')} shows its result. Only an open run can be cancelled.`,
        });
    }
  });
}
