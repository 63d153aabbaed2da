/** Shows agent runs to their owner. For everybody else they do not exist. */
import { asc, eq } from 'drizzle-orm';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { AgentCtx, TransactionCtx } from '../context.ts';
import { findOwnRun, lockOwnRun } from '../runs/find-run.ts';
import { makeTasks, worldVersion } from '#evals/office/make-tasks.ts';
import type { Task } from '#evals/office/task.ts';
import { type AgentRunCard, makeCard } from '#evals/office/scorecard/make-card.ts';
import { agentRunScorecard } from '#evals/office/scorecard/model.ts';
import type { ScorecardModel } from '#evals/scorecard/model.ts';

export interface AgentRunDetail {
  readonly run: RunRow;
  /** Null until the run has completed. */
  readonly card: AgentRunCard | null;
  readonly scorecard: ScorecardModel | null;
}

export interface AgentRunKey {
  readonly runId: string;
}

/** @throws DomainError agent_run_not_found */
export function findOwnAgentRun(ctx: AgentCtx, { runId }: AgentRunKey): Promise<RunRow> {
  return findOwnRun(ctx, { runId, product: 'agent-run' });
}

/** @throws DomainError agent_run_not_found */
export function lockOwnAgentRun(ctx: AgentCtx & TransactionCtx, { runId }: AgentRunKey): Promise<RunRow> {
  return lockOwnRun(ctx, { runId, product: 'agent-run' });
}

/** @throws DomainError agent_run_not_found */
export async function showAgentRun(ctx: AgentCtx, key: AgentRunKey): Promise<AgentRunDetail> {
  const run = await findOwnAgentRun(ctx, key);
  const { agentRunTasks, agentRunCalls } = ctx.db.tables;
  if (run.status !== 'completed' || run.verdicts === null) return { run, card: null, scorecard: null };
  const tasks = await ctx.db.query
    .select({ n: agentRunTasks.n, handedOutAt: agentRunTasks.handedOutAt })
    .from(agentRunTasks)
    .where(eq(agentRunTasks.runId, run.id));
  const calls = await ctx.db.query
    .select()
    .from(agentRunCalls)
    .where(eq(agentRunCalls.runId, run.id))
    .orderBy(asc(agentRunCalls.n), asc(agentRunCalls.position));
  const made = tasksOf(run);
  const card = makeCard(run.verdicts, tasks, calls, made);
  return { run, card, scorecard: agentRunScorecard(run, card, made) };
}

/** The tasks of a run, regenerated from its seed; empty if this version of the suite generates others. */
function tasksOf({ suiteVersion, suiteSeed }: RunRow): readonly Task[] {
  return suiteVersion === worldVersion ? makeTasks(suiteSeed) : [];
}
