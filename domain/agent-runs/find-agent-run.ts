import { and, eq } from 'drizzle-orm';
import { lockRows } from '#db/locks.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { AgentCtx, TransactionCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { operation } from '../operation.ts';

/**
 * Locks a run of the acting agent, so that changes to a run happen one after the other.
 * @throws DomainError agent_run_not_found
 */
export async function lockOwnRun({ db, agent }: AgentCtx & TransactionCtx, runId: string): Promise<RunRow> {
  const { runs } = db.tables;
  const [run] = await lockRows(
    db,
    db.query
      .select()
      .from(runs)
      .where(and(eq(runs.id, runId), eq(runs.agentId, agent.id), eq(runs.product, 'agent-run'))),
  );
  if (run === undefined) throw agentRunNotFound();
  return run;
}

/** @throws DomainError agent_run_not_found, not_pull_mode */
export async function lockOwnPulledRun(ctx: AgentCtx & TransactionCtx, runId: string): Promise<RunRow> {
  const run = await lockOwnRun(ctx, runId);
  if (run.mode === 'pull') return run;
  throw new DomainError('not_pull_mode', 'The hub sends the tasks of this run to its target.', {
    hint: 'Redeem without `target` to fetch the tasks yourself.',
  });
}

export function agentRunNotFound(): DomainError {
  return new DomainError('agent_run_not_found', 'You have no agent run with this id.', {
    hint: `${operation('getAgentRuns')} lists your runs.`,
  });
}
