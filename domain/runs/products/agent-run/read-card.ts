/** The card of a completed agent run, made from its stored tasks and calls. */
import { asc, eq } from 'drizzle-orm';
import type { RunRow } from '#db/schema/run-tables.ts';
import { type AgentRunCard, makeCard } from '#evals/week/scorecard/make-card.ts';
import type { ScorecardModel } from '#evals/scorecard/model.ts';
import { agentRunScorecard } from '#evals/week/scorecard/model.ts';
import type { Ctx } from '../../../context.ts';
import { tasksInWeek } from './weeks.ts';

export interface AgentRunCardRead {
  readonly card: AgentRunCard;
  /** By the number of the task; empty without texts, and after their retention period. */
  readonly prompts: ReadonlyMap<number, string>;
}

/**
 * @param withTexts false for what anybody may see: then calls have only their times, and nothing says what was missed
 * @returns null until the run has completed
 */
export async function readAgentRunCard(
  { db }: Ctx,
  run: RunRow,
  withTexts = true,
): Promise<AgentRunCardRead | null> {
  const { agentRunTasks, agentRunCalls } = db.tables;
  if (run.status !== 'completed' || run.verdicts === null) return null;
  const tasks = await db.query
    .select({
      n: agentRunTasks.n,
      handedOutAt: agentRunTasks.handedOutAt,
      task: agentRunTasks.task,
      verdict: agentRunTasks.verdict,
    })
    .from(agentRunTasks)
    .where(eq(agentRunTasks.runId, run.id));
  const calls = await db.query
    .select({
      n: agentRunCalls.n,
      madeAt: agentRunCalls.madeAt,
      ...(withTexts
        ? { tool: agentRunCalls.tool, args: agentRunCalls.args, result: agentRunCalls.result }
        : {}),
    })
    .from(agentRunCalls)
    .where(eq(agentRunCalls.runId, run.id))
    .orderBy(asc(agentRunCalls.n), asc(agentRunCalls.position));
  const card = makeCard({
    verdicts: run.verdicts,
    weekTasks: tasksInWeek(run),
    tasks: tasks.map(({ n, handedOutAt, verdict }) => ({
      n,
      handedOutAt,
      missed: withTexts ? (verdict?.missed ?? []) : [],
      error_response: withTexts ? (verdict?.error_response ?? null) : null,
    })),
    calls: calls.map((call) => ({ tool: '', args: null, result: {}, ...call })),
  });
  return { card, prompts: new Map(withTexts ? tasks.map(({ n, task }) => [n, task.prompt]) : []) };
}

/** @param withTexts as for {@link readAgentRunCard} */
export async function agentScorecard(
  ctx: Ctx,
  run: RunRow,
  withTexts: boolean,
): Promise<ScorecardModel | null> {
  const read = await readAgentRunCard(ctx, run, withTexts);
  if (read === null) return null;
  return agentRunScorecard(run, read.card, read.prompts);
}
