/**
 * Ends runs, each exactly once. A compare-and-swap on status and attempt decides which caller ends a run; charge,
 * result, notice and job row are settled in the same transaction. A late worker changes nothing.
 */
import { and, asc, eq } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import { lockRows } from '#db/transaction.ts';
import { isOpenRun } from '#db/schema/index-conditions.ts';
import type { RunFailureCode, RunRow } from '#db/schema/run-tables.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { holdPresence } from '../agents/find-agent.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { invariant } from '../errors.ts';
import { closeJobs } from '../jobs/enqueue.ts';
import { suiteVersionIdOf, recountRankedRuns } from '../leaderboard/record-ranked-run.ts';
import type { Notice } from '../notifications/notification-kinds.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { countStoredAnyway } from '../storage/count-stored.ts';
import { findSpends, openLedger, saveLedger } from '../tokens/ledger-store.ts';
import { lockRun, runTopic } from './find-run.ts';
import type { RunClaim } from './hold-run.ts';
import { productOf, runsEnded } from './products.ts';
import type { CompletedOutcome, RunOutcome } from './run-limits.ts';
import { bytesOfItems, storeMissing } from './store-items.ts';
import { noticesOfExhausted } from '../suites/notice-exhausted.ts';

export interface SettleRunInput extends RunClaim {
  readonly outcome: RunOutcome;
  /** The row in `jobs` of this run; null if the next worker that takes the run closes it. */
  readonly jobId: string | null;
  /** The status that the run must have; `running` by default. */
  readonly from?: 'queued' | 'running';
}

/** @returns false when the run has already ended or a later attempt holds it */
export async function settleRun(ctx: Ctx, input: SettleRunInput): Promise<boolean> {
  return withTransaction(ctx, async (inner) => {
    const { outcome, jobId } = input;
    const { runs } = inner.db.tables;
    const [run] = await inner.db.query
      .update(runs)
      .set({ ...endState(outcome), ...closed, finishedAt: inner.clock.now() })
      .where(
        and(
          eq(runs.id, input.runId),
          eq(runs.attempt, input.attempt),
          eq(runs.status, input.from ?? 'running'),
        ),
      )
      .returning();
    if (run === undefined) return false;
    if (outcome.kind === 'completed') await storeResult(inner, run, outcome);
    else await refund(inner, [run], outcome.code);
    await notifyAgents(inner, [
      noticeOf(run, outcome.unjudged),
      ...(await noticesOfExhausted(inner, run, outcome.exhausted ?? 0)),
    ]);
    if (jobId !== null) await closeJobs(inner, [jobId]);
    if (run.mode === 'push') await countStoredAnyway(inner, run.agentId, () => bytesOfItems(inner, run.id));
    reportEnd(inner, [run]);
    return true;
  });
}

/** Ends an open run that the caller has locked. The next worker that takes the run closes its row in `jobs`. */
export async function settleLockedRun(
  ctx: TransactionCtx,
  { id: runId, attempt, status }: RunRow,
  outcome: RunOutcome,
): Promise<RunRow> {
  const from = status === 'queued' ? 'queued' : 'running';
  const ended = await settleRun(ctx, { runId, attempt, from, outcome, jobId: null });
  invariant(ended, 'A locked run that is open can be ended.');
  return lockRun(ctx, { runId });
}

const messages = {
  agent_suspended: 'The agent was suspended. The run was refunded.',
  account_closed: 'The account was closed. The run was refunded.',
} as const satisfies Partial<Record<RunFailureCode, string>>;

export type AbsenceCode = keyof typeof messages;

/**
 * Ends and refunds all open runs of an agent that is suspended or closes its account. A worker that has one of them
 * loses its claim. The next worker that takes the run closes its row in `jobs`.
 *
 * @returns the notices of the runs, which the caller sends last
 */
export async function endOpenRuns(
  ctx: TransactionCtx,
  agentId: string,
  code: AbsenceCode,
): Promise<readonly Notice[]> {
  const { runs } = ctx.db.tables;
  const open = await lockOpenRuns(ctx, agentId);
  if (open.length === 0) return [];
  const outcome = { kind: 'failed', code, message: messages[code] } as const;
  const ended = await ctx.db.query
    .update(runs)
    .set({ ...endState(outcome), ...closed, finishedAt: ctx.clock.now() })
    .where(
      inList(
        ctx.db,
        runs.id,
        open.map(({ id }) => id),
      ),
    )
    .returning();
  await refund(ctx, ended, code);
  reportEnd(ctx, ended);
  return ended.map((run) => noticeOf(run));
}

/** Workers lock their run before the account, so all runs of an agent are locked before the first refund. */
function lockOpenRuns({ db }: TransactionCtx, agentId: string): Promise<RunRow[]> {
  const { runs } = db.tables;
  return lockRows(
    db,
    db.query
      .select()
      .from(runs)
      .where(and(eq(runs.agentId, agentId), isOpenRun(runs)))
      .orderBy(asc(runs.id)),
  );
}

/**
 * For a suspension or closure, which then locks the agent: no run or seat is accepted until it has committed. Other verbs
 * lock in the same order.
 */
export async function lockRunsAndAccount(ctx: TransactionCtx, agentId: string): Promise<void> {
  const { tokenAccounts } = ctx.db.tables;
  // One at a time: a run that begins before the account is locked is locked after it.
  await holdPresence(ctx, agentId);
  await lockOpenRuns(ctx, agentId);
  await lockRows(
    ctx.db,
    ctx.db.query
      .select({ agentId: tokenAccounts.agentId })
      .from(tokenAccounts)
      .where(eq(tokenAccounts.agentId, agentId)),
  );
}

const closed = { leaseUntil: null, targetHeaders: null, dueAt: null };

function endState(outcome: RunOutcome): Partial<RunRow> {
  switch (outcome.kind) {
    case 'completed':
      return {
        status: 'completed',
        chargeState: 'consumed',
        score: outcome.score,
        latency: outcome.latency ?? null,
        usage: outcome.usage ?? null,
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

async function storeResult(
  ctx: TransactionCtx,
  run: RunRow,
  { scoreJson, missing = [] }: CompletedOutcome,
): Promise<void> {
  const { runScorecards } = ctx.db.tables;
  if (scoreJson !== undefined) {
    await ctx.db.query.insert(runScorecards).values({ runId: run.id, scoreJson });
  }
  await storeMissing(ctx, run, missing);
  if (!run.ranked) return;
  const { agentId, product, suiteVersion } = run;
  await recountRankedRuns(ctx, {
    agentId,
    product,
    suiteVersion,
    suiteVersionId: suiteVersionIdOf(run),
  });
}

/**
 * Returns the tokens and free runs. If an agent ended its run itself, the tokens get no more time: it could keep them
 * from expiring.
 */
async function refund(ctx: TransactionCtx, runs: readonly RunRow[], code: RunFailureCode): Promise<void> {
  const paid = runs.filter(({ chargeTokens }) => chargeTokens > 0).map(({ redemptionId }) => redemptionId);
  const spends = paid.length === 0 ? [] : await findSpends(ctx, paid);
  const agentIds = [...new Set(runs.map(({ agentId }) => agentId))];
  const ledger = await openLedger(ctx, { agentIds, spends });
  const hasGrace = code !== 'cancelled' && code !== 'account_closed';
  for (const run of runs) {
    const { price, describe } = productOf(run);
    if (run.chargeFree) {
      ledger.returnFreeRun(price.freeRunField, run.agentId, run.redemptionId);
      continue;
    }
    if (run.chargeTokens === 0) continue;
    const spend = spends.find(({ reference }) => reference === run.redemptionId);
    invariant(spend !== undefined, `Redemption ${run.redemptionId} was paid for.`);
    ledger.refund({ spend, reason: `${describe.title} failed`, hasGrace });
  }
  await saveLedger(ctx, ledger);
}

function noticeOf(run: RunRow, unjudged = 0): Notice {
  return productOf(run).describe.notice(run, unjudged);
}

/** Counts and signals runs after the commit. Their changes have been written. */
function reportEnd(ctx: TransactionCtx, runs: readonly RunRow[]): void {
  crashPoint('run.written');
  ctx.db.afterCommit(() => {
    for (const run of runs) {
      const outcome = run.status === 'failed' ? 'failed' : 'completed';
      runsEnded.inc({ product: run.product, outcome, code: run.failureCode ?? 'none' });
      ctx.publisher.signal(runTopic(run.id));
    }
  });
}
