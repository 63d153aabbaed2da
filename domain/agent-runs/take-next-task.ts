import { eq } from 'drizzle-orm';
import type { RunRow, AgentRunTaskRow } from '#db/schema/run-tables.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../context.ts';
import { makeTaskOf } from '#evals/office/make-tasks.ts';
import type { Task } from '#evals/office/task.ts';
import { hasEnded } from '../runs/find-run.ts';
import { isOverdue, pullRunMs, runTopic } from '../runs/run-limits.ts';
import { endOverdueRun, endTask, isOutOfTime } from './end-task.ts';
import { findOpenTask } from './score-tasks.ts';
import { requirePullMode } from '../runs/find-run.ts';
import { lockOwnAgentRun } from './show-agent-run.ts';

export interface NextTask {
  /** The open task; null once the run has ended. */
  readonly task: Task | null;
  /** Tasks that have not ended, including the open one; 0 once the run has ended. */
  readonly remaining: number;
}

/**
 * Returns the open task of a run, or opens its next one. The first task starts the run. A task or a run whose time is
 * up ends here.
 *
 * @throws DomainError agent_run_not_found, not_pull_mode
 */
export async function takeNextTask(ctx: AgentCtx, { runId }: { readonly runId: string }): Promise<NextTask> {
  return withTransaction(ctx, async (inner) => {
    const locked = requirePullMode(await lockOwnAgentRun(inner, { runId }));
    const next = await openNextTask(inner, locked);
    if (next === null) return { task: null, remaining: 0 };
    const { run, row } = next;
    return { task: makeTaskOf(run.suiteSeed, row.n), remaining: run.progressTotal - run.progressDone };
  });
}

/**
 * Finds the open task of a locked run, or opens the next one.
 * @returns null if the run has ended, or ends here because its time is up
 */
export async function openNextTask(
  ctx: TransactionCtx,
  locked: RunRow,
): Promise<{ readonly run: RunRow; readonly row: AgentRunTaskRow } | null> {
  const run = await endWhatIsOver(ctx, locked);
  if (hasEnded(run)) return null;
  const row = (await findOpenTask(ctx, run)) ?? (await handOut(ctx, run, run.progressDone + 1));
  return { run, row };
}

async function endWhatIsOver(ctx: TransactionCtx, run: RunRow): Promise<RunRow> {
  if (isOverdue(ctx.clock.now(), run)) return endOverdueRun(ctx, run);
  const open = await findOpenTask(ctx, run);
  return open !== null && isOutOfTime(ctx, open) ? endTask(ctx, run, open) : run;
}

async function handOut(ctx: TransactionCtx, run: RunRow, n: number): Promise<AgentRunTaskRow> {
  const { runs, agentRunTasks } = ctx.db.tables;
  const now = ctx.clock.now();
  const row = {
    runId: run.id,
    n,
    calls: 0,
    argumentBytes: 0,
    handedOutAt: now,
    endedAt: null,
    remindedAfter: null,
    usage: null,
    delayedMs: 0,
    verdict: null,
  };
  await ctx.db.query.insert(agentRunTasks).values(row);
  // The window begins with the first task.
  if (n === 1) {
    await ctx.db.query
      .update(runs)
      .set({ status: 'running', startedAt: run.startedAt ?? now, dueAt: new Date(now.getTime() + pullRunMs) })
      .where(eq(runs.id, run.id));
    ctx.db.afterCommit(() => ctx.publisher.signal(runTopic(run.id)));
  }
  crashPoint('agent-task.handed-out');
  return row;
}
