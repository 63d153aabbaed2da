/** The outcome of an agent run, from the verdicts of its tasks. Requires a locked run; settles nothing. */
import { and, asc, eq, gt, isNotNull, or } from 'drizzle-orm';
import type { AgentRunTaskRow, FullTaskVerdict, RunRow, StoredTaskVerdict } from '#db/schema/run-tables.ts';
import type { RunEffort } from '#evals/run-cost.ts';
import { latencySummary } from '#evals/latency-summary.ts';
import { figuresOf, repeatsOf, withUnreached } from '#evals/week/figures.ts';
import type { TransactionCtx } from '../../../context.ts';
import {
  type CompletedOutcome,
  failedOutcome,
  type FailedOutcome,
  type RunOutcome,
} from '../../run-outcome.ts';
import { cancelledUnanswered, type EarlyEnd } from '../../run-plan.ts';
import { endOpenTask, findOpenTask } from './open-task.ts';
import { asLevels, isWeekGone, tasksInWeek, weekGoneMessage } from './weeks.ts';

const neverStarted = {
  pull: { kind: 'failed', code: 'never_fetched', message: 'No task of the run was fetched within 24 hours.' },
  push: {
    kind: 'failed',
    code: 'internal',
    message: 'The hub did not start the run within 24 hours. The run was refunded.',
  },
} as const satisfies Record<RunRow['mode'], FailedOutcome>;

/**
 * How an open run ends before its last task: with a refund before the first reply, otherwise with a score. A ranked run
 * counts once a task was fetched or sent, or if its agent abandoned it. One whose office is gone is refunded.
 */
export async function endTasksEarly(ctx: TransactionCtx, run: RunRow, why: EarlyEnd): Promise<RunOutcome> {
  if (isWeekGone(run)) return failedOutcome('internal', weekGoneMessage);
  const open = await findOpenTask(ctx, run);
  const isAbandoned = why === 'overdue' && run.ranked && run.mode === 'pull';
  if (!hasBegun(run, open) && !isAbandoned) {
    return why === 'cancelled' ? cancelledUnanswered : neverStarted[run.mode];
  }
  if (!run.ranked && !(await hasReply(ctx, run))) {
    return why === 'cancelled' ? cancelledUnanswered : failedOutcome('no_reply', 'The agent made no call.');
  }
  const graded = open === null ? run : await endOpenTask(ctx, run, open);
  const outcome = await scoreTasks(ctx, graded);
  return why === 'cancelled' ? { ...outcome, cancelled: true } : outcome;
}

/** Whether its first task was fetched or sent. A claimed run is `running` before that, and its worker may die. */
function hasBegun({ progressDone }: RunRow, open: AgentRunTaskRow | null): boolean {
  return progressDone > 0 || open !== null;
}

/** A target may reply without a call, of which it is reminded. */
async function hasReply({ db }: TransactionCtx, { id }: RunRow): Promise<boolean> {
  const { agentRunTasks: tasks } = db.tables;
  const isAnswered = or(gt(tasks.calls, 0), isNotNull(tasks.remindedAfter));
  const found = await db.query
    .select({ n: tasks.n })
    .from(tasks)
    .where(and(eq(tasks.runId, id), isAnswered))
    .limit(1);
  return found.length > 0;
}

/** Scores a run without an open task. Tasks that were not fetched count as failed. */
export async function scoreTasks(ctx: TransactionCtx, run: RunRow): Promise<CompletedOutcome> {
  const { agentRunTasks } = ctx.db.tables;
  const ended = await ctx.db.query
    .select({
      verdict: agentRunTasks.verdict,
      calls: agentRunTasks.calls,
      handedOutAt: agentRunTasks.handedOutAt,
      endedAt: agentRunTasks.endedAt,
    })
    .from(agentRunTasks)
    .where(and(eq(agentRunTasks.runId, run.id), isNotNull(agentRunTasks.endedAt)))
    .orderBy(asc(agentRunTasks.n));
  const reached = ended.flatMap(({ verdict }) => (verdict === null ? [] : [withoutMissed(verdict)]));
  const weekTasks = tasksInWeek(run);
  const levels = run.levels ?? reached.slice(0, weekTasks).map(({ level }) => level);
  const known = levels.length === weekTasks ? asLevels(levels) : [];
  const verdicts = withUnreached(reached, run.progressTotal, known);
  const { score, interval, level } = figuresOf(verdicts, weekTasks);
  const repeats = repeatsOf(verdicts, weekTasks);
  const effort = effortOf(verdicts, ended);
  return {
    kind: 'completed',
    score,
    estimate: { level, interval, effort, ...(repeats === null ? {} : { repeats }) },
    latency: latencySummary(ended.map(timeOf)),
    // Those of tasks that were not reached have no fault of a target.
    verdicts,
  };
}

function withoutMissed(full: FullTaskVerdict): StoredTaskVerdict {
  const { missed: _, error_response: _shown, ...verdict } = full;
  return verdict;
}

function effortOf(
  verdicts: readonly Pick<StoredTaskVerdict, 'passed'>[],
  tasks: readonly Pick<AgentRunTaskRow, 'calls'>[],
): RunEffort {
  return {
    calls: tasks.reduce((sum, { calls }) => sum + calls, 0),
    passed: verdicts.filter(({ passed }) => passed).length,
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
