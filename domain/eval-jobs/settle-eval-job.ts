/**
 * Ends an eval job exactly once. A compare-and-swap on status and attempt decides which caller ends it;
 * charge, result and the job row are settled in the same transaction. A late runner changes nothing.
 */
import { and, eq } from 'drizzle-orm';
import type { FailureCause, RunEstimate, RunFailureCode, RunRow } from '#db/schema/run-tables.ts';
import type { LatencySummary, StoredCase } from '#evals/suite/stored-case.ts';
import { counter } from '#runtime/tracing/metrics.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { invariant } from '../errors.ts';
import { closeJobs } from '../jobs/enqueue.ts';
import { findSpends, openLedger, saveLedger } from '../tokens/ledger-store.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { packHashOf } from '../leaderboard/newest-ranked-runs.ts';
import { recordRankedRun } from '../leaderboard/record-ranked-run.ts';
import { isRefundedWithGrace } from '../redemptions/refund-grace.ts';
import type { Notice } from '../notifications/notification-kinds.ts';
import { evalJobTopic } from './eval-job.ts';
import type { EvalClaimKey } from './hold-eval-claim.ts';

const endedRuns = counter(
  'hub_eval_runs_total',
  'Eval runs ended: outcome completed or failed, and the failure code (none when completed).',
  ['outcome', 'code'],
);

export type EvalOutcome =
  | {
      readonly kind: 'completed';
      /** 0 to 100, one decimal. */
      readonly score: number;
      readonly latency: LatencySummary | null;
      readonly estimate: RunEstimate | null;
      readonly scoreJson: Record<string, unknown>;
      /** Cases without a reply, stored with the outcome. */
      readonly missing: readonly StoredCase[];
      /** Whether its agent ended the run. */
      readonly cancelled?: true;
    }
  | {
      readonly kind: 'failed';
      readonly code: RunFailureCode;
      readonly message: string;
      readonly cause?: FailureCause | null;
    };

export interface SettleEvalJobInput extends EvalClaimKey {
  readonly outcome: EvalOutcome;
  /** The row in `jobs` of this run; null when the sweeper settles. */
  readonly jobId: string | null;
  /** The status that the job must have; `running` by default. */
  readonly from?: 'queued' | 'running';
}

/** Must be called after the commit. */
export function countEndedRun(
  outcome: { readonly kind: 'completed' } | { readonly kind: 'failed'; readonly code: RunFailureCode },
): void {
  endedRuns.inc({ outcome: outcome.kind, code: outcome.kind === 'failed' ? outcome.code : 'none' });
}

/** @returns false when the job has already ended or a later attempt holds it */
export async function settleEvalJob(ctx: Ctx, input: SettleEvalJobInput): Promise<boolean> {
  return withTransaction(ctx, async (inner) => {
    const { runs } = inner.db.tables;
    const [job] = await inner.db.query
      .update(runs)
      .set({
        ...endState(input.outcome),
        finishedAt: inner.clock.now(),
        leaseUntil: null,
        targetHeaders: null,
      })
      .where(
        and(
          eq(runs.id, input.runId),
          eq(runs.attempt, input.attempt),
          eq(runs.status, input.from ?? 'running'),
        ),
      )
      .returning();
    if (job === undefined) return false;
    await settleCharge(inner, job, input.outcome);
    await notifyAgents(inner, [noticeOf(job, input.outcome)]);
    if (input.jobId !== null) await closeJobs(inner, [input.jobId]);
    crashPoint('run.written');
    inner.db.afterCommit(() => {
      countEndedRun(input.outcome);
      inner.publisher.signal(evalJobTopic(job.id));
    });
    return true;
  });
}

function noticeOf({ id, agentId, redemptionId }: RunRow, outcome: EvalOutcome): Notice {
  const ids = { eval_job_id: id, redemption_id: redemptionId };
  switch (outcome.kind) {
    case 'completed':
      return {
        agentId,
        kind: 'eval_job.completed',
        data: { ...ids, status: 'completed', score: outcome.score },
      };
    case 'failed':
      return {
        agentId,
        kind: 'eval_job.failed',
        data: {
          ...ids,
          status: 'failed',
          failure_code: outcome.code as Exclude<RunFailureCode, 'never_fetched'>,
        },
      };
  }
}

function endState(outcome: EvalOutcome): Partial<RunRow> {
  switch (outcome.kind) {
    case 'completed':
      return {
        status: 'completed',
        chargeState: 'consumed',
        score: outcome.score,
        latency: outcome.latency,
        estimate: outcome.estimate,
        cancelled: outcome.cancelled === true,
      };
    case 'failed':
      return {
        status: 'failed',
        chargeState: 'refunded',
        failureCode: outcome.code,
        failureMessage: outcome.message,
        failureCause: outcome.cause ?? null,
        cancelled: outcome.code === 'cancelled',
      };
  }
}

async function settleCharge(ctx: TransactionCtx, job: RunRow, outcome: EvalOutcome): Promise<void> {
  switch (outcome.kind) {
    case 'completed':
      await storeScorecard(ctx, job, outcome.scoreJson);
      await storeMissing(ctx, job, outcome.missing);
      if (job.ranked) {
        const { agentId, suiteVersion } = job;
        await recordRankedRun(ctx, {
          agentId,
          product: 'eval-run',
          suiteVersion,
          packHash: packHashOf(job),
        });
      }
      return;
    case 'failed': {
      const spends = job.chargeFree ? [] : await findSpends(ctx, [job.redemptionId]);
      const ledger = await openLedger(ctx, { agentIds: [job.agentId], spends });
      if (job.chargeFree) {
        ledger.returnFreeRun('freeEvalRedemptionId', job.agentId, job.redemptionId);
      } else {
        const [spend] = spends;
        invariant(spend !== undefined, `Redemption ${job.redemptionId} was paid for.`);
        ledger.refund({ spend, reason: 'Eval run failed', hasGrace: isRefundedWithGrace(outcome.code) });
      }
      await saveLedger(ctx, ledger);
    }
  }
}

/** Markdown and HTML are rendered on request, because they contain prompts, which are not stored. */
async function storeScorecard(
  { db }: TransactionCtx,
  { id }: RunRow,
  scoreJson: Record<string, unknown>,
): Promise<void> {
  await db.query.insert(db.tables.runScorecards).values({ runId: id, scoreJson });
}

async function storeMissing(
  { db, clock }: TransactionCtx,
  job: RunRow,
  missing: readonly StoredCase[],
): Promise<void> {
  if (missing.length === 0) return;
  const { runItems, runs } = db.tables;
  const rows = missing.map((result, place) => ({
    runId: job.id,
    itemIndex: result.index,
    position: job.progressDone + place + 1,
    result,
    share: result.score,
    finishedAt: clock.now(),
  }));
  await db.query.insert(runItems).values(rows);
  const progressDone = job.progressDone + missing.length;
  await db.query.update(runs).set({ progressDone }).where(eq(runs.id, job.id));
}
