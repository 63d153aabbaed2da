/** Shows agent runs to their owner. For everybody else they do not exist. */
import { asc, eq } from 'drizzle-orm';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { AgentCtx } from '../context.ts';
import { findOwnRun } from '../runs/find-run.ts';
import { tasksOf } from './tasks-of.ts';
import { type AgentRunCard, makeCard } from './scorecard/make-card.ts';

export interface AgentRunDetail {
  readonly run: RunRow;
  /** Null until the run has completed. */
  readonly card: AgentRunCard | null;
}

export interface AgentRunKey {
  readonly runId: string;
}

/** @throws DomainError agent_run_not_found */
export function findOwnAgentRun(ctx: AgentCtx, { runId }: AgentRunKey): Promise<RunRow> {
  return findOwnRun(ctx, { runId, product: 'agent-run' });
}

/** @throws DomainError agent_run_not_found */
export async function showAgentRun(ctx: AgentCtx, key: AgentRunKey): Promise<AgentRunDetail> {
  const run = await findOwnAgentRun(ctx, key);
  const { agentRunTasks, agentRunCalls } = ctx.db.tables;
  if (run.status !== 'completed' || run.verdicts === null) return { run, card: null };
  const tasks = await ctx.db.query
    .select({ n: agentRunTasks.n, handedOutAt: agentRunTasks.handedOutAt })
    .from(agentRunTasks)
    .where(eq(agentRunTasks.runId, run.id));
  const calls = await ctx.db.query
    .select()
    .from(agentRunCalls)
    .where(eq(agentRunCalls.runId, run.id))
    .orderBy(asc(agentRunCalls.n), asc(agentRunCalls.position));
  return { run, card: makeCard(run.verdicts, tasks, calls, tasksOf(run)) };
}
