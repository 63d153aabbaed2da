/** The steps of a worker in a task of a run in push mode. Each step is one transaction, fenced by the claim. */
import { and, asc, eq, isNotNull } from 'drizzle-orm';
import type {
  AgentRunCallRow,
  AgentRunTaskRow,
  FailureCause,
  RunFailureCode,
  RunRow,
} from '#db/schema/run-tables.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../../context.ts';
import { hasEnded } from '../../runs/find-run.ts';
import { delayedMsMax, errorShareMax, isOverdue } from '../../runs/run-limits.ts';
import { lethalRepliesProblem } from '../../runs/reply-in-hand.ts';
import { makeTaskOf } from '#evals/office/make-tasks.ts';
import { argumentSize, taskBudget } from '#evals/office/session.ts';
import type { Task } from '#evals/office/task.ts';
import { addTokenUsage, type TokenUsage } from '#evals/suite/token-usage.ts';
import { applyCalls, type NamedCall } from '../apply-calls.ts';
import { completeAgentRun, endTask, isOutOfTime, refundAgentRun, timeOfTaskEndsAt } from '../end-task.ts';
import { findOpenTask, gradeOpenTask } from '../score-tasks.ts';
import { openNextTask } from '../take-next-task.ts';
import { lockClaimedRun, type RunClaim } from '../../runs/hold-run.ts';

export interface PushedTask {
  readonly task: Task;
  readonly row: AgentRunTaskRow;
  /** The calls made so far, including those of earlier claims. */
  readonly calls: readonly AgentRunCallRow[];
  /** When the time of the task or its run is up. */
  readonly endsAt: Date;
}

/**
 * @returns the open task, or the next one; null once the run has ended
 * @throws ClaimLost
 */
export function openPushedTask(ctx: Ctx, claim: RunClaim): Promise<PushedTask | null> {
  return withTransaction(ctx, async (inner) => {
    const { agentRunCalls } = inner.db.tables;
    const next = await openNextTask(inner, await lockClaimedRun(inner, claim));
    if (next === null) return null;
    const { run, row } = next;
    const calls = await inner.db.query
      .select()
      .from(agentRunCalls)
      .where(and(eq(agentRunCalls.runId, run.id), eq(agentRunCalls.n, row.n)))
      .orderBy(asc(agentRunCalls.position));
    const taskEndsAt = timeOfTaskEndsAt(row);
    const runEndsAt = run.dueAt?.getTime() ?? taskEndsAt;
    return {
      task: makeTaskOf(run.suiteSeed, row.n),
      row,
      calls,
      endsAt: new Date(Math.min(taskEndsAt, runEndsAt)),
    };
  });
}

/**
 * Makes the calls of one reply, in order. Arguments beyond the budget end the task.
 * @returns the calls that were made; null once the task has ended
 * @throws ClaimLost
 */
export function makePushedCalls(
  ctx: Ctx,
  claim: RunClaim,
  n: number,
  calls: readonly NamedCall[],
  usage: TokenUsage | null = null,
): Promise<readonly AgentRunCallRow[] | null> {
  return inOpenTask(ctx, claim, n, usage, async (inner, run, row) => {
    const bytes = calls.reduce((sum, { args }) => sum + argumentSize(args), 0);
    if (bytes > taskBudget.argumentBytes - row.argumentBytes) {
      await endTask(inner, run, row);
      return null;
    }
    const { made, endedTask } = await applyCalls(inner, run, row, calls);
    return endedTask ? null : made;
  });
}

/**
 * Notes that the target was reminded to use its tools.
 * @returns null if the task is over
 * @throws ClaimLost
 */
export function notePushedReminder(
  ctx: Ctx,
  claim: RunClaim,
  n: number,
  usage: TokenUsage | null = null,
): Promise<true | null> {
  return inOpenTask(ctx, claim, n, usage, async ({ db }, run, row) => {
    const { agentRunTasks } = db.tables;
    await db.query
      .update(agentRunTasks)
      .set({ remindedAfter: row.calls })
      .where(and(eq(agentRunTasks.runId, run.id), eq(agentRunTasks.n, n)));
    return true as const;
  });
}

/**
 * Extends the time of a task and its run by a delay of its calls.
 * @throws ClaimLost
 */
export async function notePushedDelay(ctx: Ctx, claim: RunClaim, n: number, delayMs: number): Promise<void> {
  await withTransaction(ctx, async (inner) => {
    const { runs, agentRunTasks } = inner.db.tables;
    const run = await lockClaimedRun(inner, claim);
    const row = await findOpenTask(inner, run);
    if (row === null || row.n !== n || run.dueAt === null) return;
    const delayedMs = Math.min(delayedMsMax, row.delayedMs + Math.round(delayMs));
    const dueAt = new Date(run.dueAt.getTime() + delayedMs - row.delayedMs);
    await inner.db.query.update(runs).set({ dueAt }).where(eq(runs.id, run.id));
    await inner.db.query
      .update(agentRunTasks)
      .set({ delayedMs })
      .where(and(eq(agentRunTasks.runId, run.id), eq(agentRunTasks.n, n)));
  });
}

/** Why a target could not continue a task. */
export interface PushedFault {
  readonly code: RunFailureCode;
  /** What is wrong, in one sentence. */
  readonly problem: string;
  readonly cause: FailureCause;
}

/**
 * Ends a task whose target makes no more calls. After a fault on the very first reply, or in too many tasks, the run
 * ends: it fails and is refunded, unless it is ranked. A ranked run counts, and the remaining tasks score 0.
 * @throws ClaimLost
 */
export async function endPushedTask(
  ctx: Ctx,
  claim: RunClaim,
  n: number,
  fault: PushedFault | null,
  usage: TokenUsage | null = null,
): Promise<void> {
  await inOpenTask(ctx, claim, n, usage, async (inner, run, row) => {
    if (fault === null) {
      await endTask(inner, run, row);
      return null;
    }
    const end = { error: fault.code };
    const isFirstReply = run.progressDone === 0 && row.calls === 0;
    const faults = [...(await earlierFaults(inner, run)), fault.code];
    if (!isFirstReply && faults.length <= run.progressTotal * errorShareMax.run) {
      await endTask(inner, run, row, end);
      return null;
    }
    const graded = await gradeOpenTask(inner, run, row, end);
    if (run.ranked) {
      await completeAgentRun(inner, graded);
      return null;
    }
    const what = isFirstReply
      ? 'The first call to the target failed'
      : `The target failed in too many tasks (${faults.length} of ${graded.progressDone})`;
    const message = `${what}: ${fault.problem} The run was refunded.`;
    await refundAgentRun(inner, graded, { code: fault.code, message, cause: fault.cause });
    return null;
  });
}

/** Ends a run that has been claimed too often. After a fault of its target, a ranked run counts. */
export async function giveUpPushedRun(ctx: Ctx, claim: RunClaim, fault: 'target' | 'hub'): Promise<void> {
  await withTransaction(ctx, async (inner) => {
    const run = await lockClaimedRun(inner, claim);
    // It has ended since it was claimed.
    if (hasEnded(run)) return;
    const open = await findOpenTask(inner, run);
    const end = fault === 'target' ? { error: 'target_bad_response' as const } : {};
    const graded = open === null ? run : await gradeOpenTask(inner, run, open, end);
    switch (fault) {
      case 'target':
        if (run.ranked) await completeAgentRun(inner, graded);
        else
          await refundAgentRun(inner, graded, {
            code: 'target_bad_response',
            message: `${lethalRepliesProblem} The run was refunded.`,
          });
        return;
      case 'hub':
        await refundAgentRun(inner, graded, {
          code: 'internal',
          message: 'The hub attempted the run several times without finishing it. The run was refunded.',
        });
    }
  });
}

/** @returns null if the task is no longer open, or its time is up */
function inOpenTask<T>(
  ctx: Ctx,
  claim: RunClaim,
  n: number,
  usage: TokenUsage | null,
  work: (ctx: TransactionCtx, run: RunRow, row: AgentRunTaskRow) => Promise<T | null>,
): Promise<T | null> {
  return withTransaction(ctx, async (inner) => {
    const run = await lockClaimedRun(inner, claim);
    const row = await findOpenTask(inner, run);
    if (row === null || row.n !== n || isOutOfTime(inner, row) || isOverdue(inner.clock.now(), run))
      return null;
    if (usage !== null) await noteUsage(inner, run, row, usage);
    return work(inner, run, row);
  });
}

async function noteUsage({ db }: TransactionCtx, run: RunRow, row: AgentRunTaskRow, usage: TokenUsage) {
  const { runs, agentRunTasks } = db.tables;
  await db.query
    .update(runs)
    .set({ usage: addTokenUsage(run.usage, usage) })
    .where(eq(runs.id, run.id));
  await db.query
    .update(agentRunTasks)
    .set({ usage: addTokenUsage(row.usage, usage) })
    .where(and(eq(agentRunTasks.runId, run.id), eq(agentRunTasks.n, row.n)));
}

async function earlierFaults({ db }: TransactionCtx, { id }: RunRow): Promise<RunFailureCode[]> {
  const { agentRunTasks } = db.tables;
  const ended = await db.query
    .select({ verdict: agentRunTasks.verdict })
    .from(agentRunTasks)
    .where(and(eq(agentRunTasks.runId, id), isNotNull(agentRunTasks.endedAt)));
  return ended.flatMap(({ verdict }) => (verdict?.error === undefined ? [] : [verdict.error]));
}
