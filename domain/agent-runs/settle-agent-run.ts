/** Ends agent runs: with a score if the first task was fetched, otherwise with a refund. Requires a locked, open run. */
import { and, eq, isNotNull } from 'drizzle-orm';
import type { FailureCause, RunFailureCode, RunRow, StoredTaskVerdict } from '#db/schema/run-tables.ts';
import { estimateAgentRun } from '#evals/office/estimate-agent-run.ts';
import { gradeTask } from '#evals/office/grade-task.ts';
import { makeTaskOf } from '#evals/office/make-tasks.ts';
import { scoreAgentRun } from '#evals/office/score-agent-run.ts';
import { startSession } from '#evals/office/session.ts';
import type { TransactionCtx } from '../context.ts';
import { settleLockedRun } from '../runs/settle-run.ts';

/** Scores and charges a run without an open task. Tasks that were not fetched count as not useful. */
export async function completeAgentRun(
  ctx: TransactionCtx,
  run: RunRow,
  { cancelled = false }: { readonly cancelled?: boolean } = {},
): Promise<RunRow> {
  const { agentRunTasks } = ctx.db.tables;
  const graded = await ctx.db.query
    .select({ n: agentRunTasks.n, verdict: agentRunTasks.verdict })
    .from(agentRunTasks)
    .where(and(eq(agentRunTasks.runId, run.id), isNotNull(agentRunTasks.endedAt)));
  const verdicts = Array.from({ length: run.progressTotal }, (_, index): StoredTaskVerdict => {
    const n = index + 1;
    const verdict = graded.find((task) => task.n === n)?.verdict ?? null;
    return verdict ?? gradeUnworked(run.suiteSeed, n);
  });
  return settleLockedRun(ctx, run, {
    kind: 'completed',
    score: scoreAgentRun(verdicts).score,
    estimate: estimateAgentRun(verdicts),
    verdicts,
    ...(cancelled ? { cancelled } : {}),
  });
}

function gradeUnworked(seed: string, n: number): StoredTaskVerdict {
  const task = makeTaskOf(seed, n);
  return gradeTask(task, startSession(task));
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
