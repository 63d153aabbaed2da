/** Ends tasks and, with the last of them, the run. Requires a locked run. */
import { and, eq, isNull } from 'drizzle-orm';
import type { RunFailureCode, RunRow, AgentRunTaskRow } from '#db/schema/run-tables.ts';
import type { TransactionCtx } from '../context.ts';
import { gradeTask } from '#evals/office/grade-task.ts';
import { taskBudget } from '#evals/office/session.ts';
import { runTopic } from '../runs/run-limits.ts';
import { type AgentRunFailure, completeAgentRun, refundAgentRun } from './settle-agent-run.ts';
import { openSession, type TaskSession } from './task-sessions.ts';

interface TaskEnd {
  /** The session of the task if the caller has it. */
  readonly opened?: TaskSession;
  /** Why the target could not continue. */
  readonly error?: RunFailureCode;
}

/**
 * Grades an open task and closes it.
 * @returns the run, which has ended if this was its last task
 */
export async function endTask(
  ctx: TransactionCtx,
  run: RunRow,
  open: AgentRunTaskRow,
  end: TaskEnd = {},
): Promise<RunRow> {
  const graded = await gradeOpenTask(ctx, run, open, end);
  return graded.progressDone === graded.progressTotal ? completeAgentRun(ctx, graded) : graded;
}

const neverStarted = {
  pull: { code: 'never_fetched', message: 'No task of the run was fetched within 24 hours.' },
  push: {
    code: 'internal',
    message: 'The hub did not start the run within 24 hours. The run was refunded.',
  },
} as const satisfies Record<RunRow['mode'], AgentRunFailure>;

/**
 * Ends a run whose time is up: with a refund if no task was fetched, otherwise with a score. A ranked run counts even if
 * its agent abandoned it.
 */
export async function endOverdueRun(ctx: TransactionCtx, run: RunRow): Promise<RunRow> {
  const isAbandoned = run.ranked && run.mode === 'pull';
  const open = await findOpenTask(ctx, run);
  if (!hasBegun(run, open) && !isAbandoned) return refundAgentRun(ctx, run, neverStarted[run.mode]);
  return completeAgentRun(ctx, open === null ? run : await gradeOpenTask(ctx, run, open));
}

/** Whether its first task was fetched or sent. A claimed run is `running` before that, and its worker may die. */
export function hasBegun({ progressDone }: RunRow, open: AgentRunTaskRow | null): boolean {
  return progressDone > 0 || open !== null;
}

export async function findOpenTask({ db }: TransactionCtx, run: RunRow): Promise<AgentRunTaskRow | null> {
  const { agentRunTasks } = db.tables;
  const [open] = await db.query
    .select()
    .from(agentRunTasks)
    .where(and(eq(agentRunTasks.runId, run.id), isNull(agentRunTasks.endedAt)));
  return open ?? null;
}

/** Whether the time of a task is up. Its calls and bytes are counted in its row. */
export function isOutOfTime({ clock }: TransactionCtx, task: AgentRunTaskRow): boolean {
  return clock.now().getTime() > timeOfTaskEndsAt(task);
}

/** In ms since the epoch. The time during which the hub delayed the calls to the target does not count. */
export function timeOfTaskEndsAt({ handedOutAt, delayedMs }: AgentRunTaskRow): number {
  return handedOutAt.getTime() + taskBudget.seconds * 1_000 + delayedMs;
}

/** Whether the time of an open run is up. */
export function isOverdue({ clock }: TransactionCtx, { dueAt }: RunRow): boolean {
  return dueAt !== null && dueAt <= clock.now();
}

/** Grades and closes the open task, but never ends the run. */
export async function gradeOpenTask(
  ctx: TransactionCtx,
  run: RunRow,
  open: AgentRunTaskRow,
  { opened, error }: TaskEnd = {},
): Promise<RunRow> {
  const { runs, agentRunTasks } = ctx.db.tables;
  const { task, session } = opened ?? (await openSession(ctx, run, open));
  const verdict = { ...gradeTask(task, session), ...(error === undefined ? {} : { error }) };
  await ctx.db.query
    .update(agentRunTasks)
    .set({ endedAt: ctx.clock.now(), verdict })
    .where(and(eq(agentRunTasks.runId, run.id), eq(agentRunTasks.n, open.n)));
  const progressDone = run.progressDone + 1;
  await ctx.db.query.update(runs).set({ progressDone }).where(eq(runs.id, run.id));
  ctx.db.afterCommit(() => ctx.publisher.signal(runTopic(run.id)));
  return { ...run, progressDone };
}
