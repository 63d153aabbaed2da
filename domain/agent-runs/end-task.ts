/** Ends tasks and, with the last of them, the run. Requires a locked run. */
import type { AgentRunTaskRow, FailureCause, RunFailureCode, RunRow } from '#db/schema/run-tables.ts';
import { taskBudget } from '#evals/office/session.ts';
import type { TransactionCtx } from '../context.ts';
import { settleLockedRun } from '../runs/settle-run.ts';
import { endTasksEarly, gradeOpenTask, scoreTasks, type TaskEnd } from './score-tasks.ts';

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

/** Whether the time of a task is up. Its calls and bytes are counted in its row. */
export function isOutOfTime({ clock }: TransactionCtx, task: AgentRunTaskRow): boolean {
  return clock.now().getTime() > timeOfTaskEndsAt(task);
}

/** In ms since the epoch. The time during which the hub delayed the calls to the target does not count. */
export function timeOfTaskEndsAt({ handedOutAt, delayedMs }: AgentRunTaskRow): number {
  return handedOutAt.getTime() + taskBudget.seconds * 1_000 + delayedMs;
}

/** Ends a run whose time is up. */
export async function endOverdueRun(ctx: TransactionCtx, run: RunRow): Promise<RunRow> {
  return settleLockedRun(ctx, run, await endTasksEarly(ctx, run, 'overdue'));
}

/** Scores and charges a run without an open task. */
export async function completeAgentRun(ctx: TransactionCtx, run: RunRow): Promise<RunRow> {
  return settleLockedRun(ctx, run, await scoreTasks(ctx, run));
}

export interface AgentRunFailure {
  readonly code: RunFailureCode;
  readonly message: string;
  /** What the target returned. */
  readonly cause?: FailureCause;
}

/** Ends a run without a score and returns its token or free run. */
export function refundAgentRun(ctx: TransactionCtx, run: RunRow, failure: AgentRunFailure): Promise<RunRow> {
  return settleLockedRun(ctx, run, { kind: 'failed', ...failure });
}
