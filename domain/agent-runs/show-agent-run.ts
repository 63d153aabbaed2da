/** Shows agent runs to their owner. For everybody else they do not exist. */
import { and, asc, eq } from 'drizzle-orm';
import type { AgentRunRow } from '#db/schema/agent-run-tables.ts';
import type { AgentCtx } from '../context.ts';
import { agentRunNotFound } from './find-agent-run.ts';
import { tasksOf } from './tasks-of.ts';
import { type AgentRunCard, makeCard } from './scorecard/make-card.ts';

export interface AgentRunDetail {
  readonly run: AgentRunRow;
  /** Null until the run has completed. */
  readonly card: AgentRunCard | null;
}

export interface AgentRunKey {
  readonly agentRunId: string;
}

/** @throws DomainError agent_run_not_found */
export async function findOwnAgentRun(ctx: AgentCtx, { agentRunId }: AgentRunKey): Promise<AgentRunRow> {
  const { agentRuns } = ctx.db.tables;
  const [run] = await ctx.db.query
    .select()
    .from(agentRuns)
    .where(and(eq(agentRuns.id, agentRunId), eq(agentRuns.agentId, ctx.agent.id)));
  if (run === undefined) throw agentRunNotFound();
  return run;
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
