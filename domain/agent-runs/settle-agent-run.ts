/**
 * Ends agent runs: with a score if the first task was fetched, otherwise with a refund. Requires a locked, open run, so
 * that each run ends once.
 */
import { and, eq, isNotNull } from 'drizzle-orm';
import type { FailureCause, RunFailureCode, RunRow, StoredTaskVerdict } from '#db/schema/run-tables.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { counter } from '#runtime/tracing/metrics.ts';
import type { TransactionCtx } from '../context.ts';
import { invariant } from '../errors.ts';
import { gradeTask } from '#evals/office/grade-task.ts';
import { makeTaskOf } from '#evals/office/make-tasks.ts';
import { scoreAgentRun } from '#evals/office/score-agent-run.ts';
import { startSession } from '#evals/office/session.ts';
import { recordRankedRun } from '../leaderboard/record-ranked-run.ts';
import { isRefundedWithGrace } from '../redemptions/refund-grace.ts';
import { findSpends, openLedger, saveLedger } from '../tokens/ledger-store.ts';

const endedRuns = counter(
  'hub_agent_runs_total',
  'Agent runs ended: outcome completed or failed, and the failure code (none when completed).',
  ['outcome', 'code'],
);

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
  const { score } = scoreAgentRun(verdicts);
  const state = { status: 'completed', chargeState: 'consumed', score, verdicts, cancelled } as const;
  const ended = await end(ctx, run, state);
  if (run.ranked) {
    const { agentId, suiteVersion } = run;
    await recordRankedRun(ctx, { agentId, product: 'agent-run', suiteVersion, packHash: '' });
  }
  return ended;
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
export async function refundAgentRun(
  ctx: TransactionCtx,
  run: RunRow,
  { code, message, cause }: AgentRunFailure,
): Promise<RunRow> {
  const spends = run.chargeFree ? [] : await findSpends(ctx, [run.redemptionId]);
  const ledger = await openLedger(ctx, { agentIds: [run.agentId], spends });
  if (run.chargeFree) {
    ledger.returnFreeRun('freeAgentRunRedemptionId', run.agentId, run.redemptionId);
  } else {
    const [spend] = spends;
    invariant(spend !== undefined, `Redemption ${run.redemptionId} was paid for.`);
    ledger.refund({ spend, reason: 'Agent run failed', hasGrace: isRefundedWithGrace(code) });
  }
  await saveLedger(ctx, ledger);
  return end(ctx, run, {
    status: 'failed',
    chargeState: 'refunded',
    failureCode: code,
    failureMessage: message,
    failureCause: cause ?? null,
    cancelled: code === 'cancelled',
  });
}

async function end(ctx: TransactionCtx, run: RunRow, state: Partial<RunRow>): Promise<RunRow> {
  const { runs } = ctx.db.tables;
  const gone = { dueAt: null, leaseUntil: null, targetHeaders: null };
  const change = { ...state, ...gone, finishedAt: ctx.clock.now() };
  await ctx.db.query.update(runs).set(change).where(eq(runs.id, run.id));
  crashPoint('agent-run.written');
  ctx.db.afterCommit(() => {
    endedRuns.inc({ outcome: change.status ?? 'completed', code: change.failureCode ?? 'none' });
  });
  return { ...run, ...change };
}
