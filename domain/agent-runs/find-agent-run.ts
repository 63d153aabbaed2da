import { and, eq } from 'drizzle-orm';
import { lockRows } from '#db/locks.ts';
import type { AgentRunRow } from '#db/schema/agent-run-tables.ts';
import type { AgentCtx, TransactionCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { operation } from '../operation.ts';

/**
 * Locks a run of the acting agent, so that changes to a run happen one after the other.
 * @throws DomainError agent_run_not_found
 */
export async function lockOwnRun(
  { db, agent }: AgentCtx & TransactionCtx,
  agentRunId: string,
): Promise<AgentRunRow> {
  const { agentRuns } = db.tables;
  const [run] = await lockRows(
    db,
    db.query
      .select()
      .from(agentRuns)
      .where(and(eq(agentRuns.id, agentRunId), eq(agentRuns.agentId, agent.id))),
  );
  if (run === undefined) throw agentRunNotFound();
  return run;
}

/** @throws DomainError agent_run_not_found, not_pull_mode */
export async function lockOwnPulledRun(
  ctx: AgentCtx & TransactionCtx,
  agentRunId: string,
): Promise<AgentRunRow> {
  const run = await lockOwnRun(ctx, agentRunId);
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
