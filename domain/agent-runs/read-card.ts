/** The card of a completed agent run, made from its stored tasks and calls. */
import { asc, eq } from 'drizzle-orm';
import type { RunRow } from '#db/schema/run-tables.ts';
import { makeTasks, worldVersion } from '#evals/office/make-tasks.ts';
import { type AgentRunCard, makeCard } from '#evals/office/scorecard/make-card.ts';
import type { Task } from '#evals/office/task.ts';
import type { Ctx } from '../context.ts';

export interface AgentRunCardRead {
  readonly card: AgentRunCard;
  readonly made: readonly Task[];
}

/** @returns null until the run has completed */
export async function readAgentRunCard({ db }: Ctx, run: RunRow): Promise<AgentRunCardRead | null> {
  const { agentRunTasks, agentRunCalls } = db.tables;
  if (run.status !== 'completed' || run.verdicts === null) return null;
  const tasks = await db.query
    .select({ n: agentRunTasks.n, handedOutAt: agentRunTasks.handedOutAt })
    .from(agentRunTasks)
    .where(eq(agentRunTasks.runId, run.id));
  const calls = await db.query
    .select()
    .from(agentRunCalls)
    .where(eq(agentRunCalls.runId, run.id))
    .orderBy(asc(agentRunCalls.n), asc(agentRunCalls.position));
  const made = tasksOf(run);
  return { card: makeCard(run.verdicts, tasks, calls, made), made };
}

/** The tasks of a run, regenerated from its seed; empty if this version of the suite generates others. */
function tasksOf({ suiteVersion, suiteSeed }: RunRow): readonly Task[] {
  return suiteVersion === worldVersion ? makeTasks(suiteSeed) : [];
}
