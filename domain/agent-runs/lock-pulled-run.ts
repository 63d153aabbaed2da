import type { RunRow } from '#db/schema/run-tables.ts';
import type { AgentCtx, TransactionCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { lockOwnRun } from '../runs/find-run.ts';

/** @throws DomainError agent_run_not_found, not_pull_mode */
export async function lockOwnPulledRun(ctx: AgentCtx & TransactionCtx, runId: string): Promise<RunRow> {
  const run = await lockOwnRun(ctx, { runId, product: 'agent-run' });
  if (run.mode === 'pull') return run;
  throw new DomainError('not_pull_mode', 'The hub sends the tasks of this run to its target.', {
    hint: 'Redeem without `target` to fetch the tasks yourself.',
  });
}
