/** Grades the open task of a run and scores the run. Requires a locked run; settles nothing. */
import { and, eq, isNotNull, isNull } from 'drizzle-orm';
import type { AgentRunTaskRow, RunFailureCode, RunRow, StoredTaskVerdict } from '#db/schema/run-tables.ts';
import { estimateAgentRun } from '#evals/office/estimate-agent-run.ts';
import { gradeTask } from '#evals/office/grade-task.ts';
import { makeTaskOf } from '#evals/office/make-tasks.ts';
import { scoreAgentRun } from '#evals/office/score-agent-run.ts';
import { startSession } from '#evals/office/session.ts';
import type { RunEffort } from '#evals/run-cost.ts';
import { latencySummary } from '#evals/suite/latency-summary.ts';
import type { TransactionCtx } from '../context.ts';
import { runTopic } from '../runs/run-limits.ts';
import type { CompletedOutcome, FailedOutcome, RunOutcome } from '../runs/run-outcome.ts';
import { cancelledUnbegun, type EarlyEnd } from '../runs/run-plan.ts';
import { openSession, type TaskSession } from './task-sessions.ts';

export interface TaskEnd {
  /** The session of the task if the caller has it. */
  readonly opened?: TaskSession;
  /** Why the target could not continue. */
  readonly error?: RunFailureCode;
}

const neverStarted = {
  pull: { kind: 'failed', code: 'never_fetched', message: 'No task of the run was fetched within 24 hours.' },
  push: {
    kind: 'failed',
    code: 'internal',
    message: 'The hub did not start the run within 24 hours. The run was refunded.',
  },
} as const satisfies Record<RunRow['mode'], FailedOutcome>;

/**
 * How an open run ends before its last task: with a refund if no task was fetched or sent, otherwise with a score. A ranked
 * run whose time is up counts even if its agent abandoned it.
 */
export async function endTasksEarly(ctx: TransactionCtx, run: RunRow, why: EarlyEnd): Promise<RunOutcome> {
  const open = await findOpenTask(ctx, run);
  const isAbandoned = why === 'overdue' && run.ranked && run.mode === 'pull';
  if (!hasBegun(run, open) && !isAbandoned) {
    return why === 'cancelled' ? cancelledUnbegun : neverStarted[run.mode];
  }
  // A task whose agent has not called `finish` is never useful.
  const graded = open === null ? run : await gradeOpenTask(ctx, run, open);
  const outcome = await scoreTasks(ctx, graded);
  return why === 'cancelled' ? { ...outcome, cancelled: true } : outcome;
}

/** Whether its first task was fetched or sent. A claimed run is `running` before that, and its worker may die. */
function hasBegun({ progressDone }: RunRow, open: AgentRunTaskRow | null): boolean {
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

/** Scores a run without an open task. Tasks that were not fetched count as not useful. */
export async function scoreTasks(ctx: TransactionCtx, run: RunRow): Promise<CompletedOutcome> {
  const { agentRunTasks } = ctx.db.tables;
  const graded = await ctx.db.query
    .select({
      n: agentRunTasks.n,
      verdict: agentRunTasks.verdict,
      calls: agentRunTasks.calls,
      handedOutAt: agentRunTasks.handedOutAt,
      endedAt: agentRunTasks.endedAt,
    })
    .from(agentRunTasks)
    .where(and(eq(agentRunTasks.runId, run.id), isNotNull(agentRunTasks.endedAt)));
  const verdicts = Array.from({ length: run.progressTotal }, (_, index): StoredTaskVerdict => {
    const n = index + 1;
    const verdict = graded.find((task) => task.n === n)?.verdict ?? null;
    return verdict ?? gradeUnworked(run.suiteSeed, n);
  });
  return {
    kind: 'completed',
    score: scoreAgentRun(verdicts).score,
    estimate: { ...estimateAgentRun(verdicts), effort: effortOf(verdicts, graded) },
    latency: latencySummary(graded.map(timeOf)),
    verdicts,
  };
}

function effortOf(
  verdicts: readonly StoredTaskVerdict[],
  tasks: readonly Pick<AgentRunTaskRow, 'calls'>[],
): RunEffort {
  return {
    calls: tasks.reduce((sum, { calls }) => sum + calls, 0),
    passed: verdicts.filter(({ useful, safe }) => useful && safe).length,
  };
}

/** From the fetch of a task to its end. */
function timeOf({
  verdict,
  handedOutAt,
  endedAt,
}: Pick<AgentRunTaskRow, 'verdict' | 'handedOutAt' | 'endedAt'>) {
  const latencyMs = endedAt === null ? null : endedAt.getTime() - handedOutAt.getTime();
  return { status: verdict?.error === undefined ? 'passed' : 'error', latency_ms: latencyMs } as const;
}

function gradeUnworked(seed: string, n: number): StoredTaskVerdict {
  const task = makeTaskOf(seed, n);
  return gradeTask(task, startSession(task));
}
