import { and, count, gt } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import { insertStatement } from '#db/insert-statement.ts';
import type { EvalJobRow, RedemptionRow } from '#db/schema/eval-tables.ts';
import { isOpenEvalJob, isRefundedEvalJob } from '#db/schema/index-conditions.ts';
import { together } from '#db/together.ts';
import type { Cause } from '#runtime/tracing/cause.ts';
import { createId } from '#runtime/create-id.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { newSeed, suiteCaseCount, suiteName, suiteVersion } from '../eval-suite/index.ts';
import { enqueueAll } from '../jobs/enqueue.ts';
import type { Ledger } from '../tokens/ledger.ts';
import { openLedger } from '../tokens/open-ledger.ts';
import { saveLedger } from '../tokens/save-ledger.ts';

export const products = ['eval-run'] as const;
export type Product = (typeof products)[number];

export const evalRunCostTokens = 1;
export const openJobsPerAgentMax = 5;
/** A refunded run costs the hub work and the agent nothing, so their number is limited. */
export const refundedRunsPerAgentMax = 10;
const refundedRunsWindowMs = 24 * 60 * 60 * 1_000;
/** `Retry-After` of a caller with too many open jobs. */
const openJobsRetryAfterSeconds = 5;

/** A request whose product and target were checked. */
export interface RedemptionRequest {
  readonly agentId: string;
  readonly product: Product;
  readonly targetUrl: string;
  /** The trace of this request; the context's when left out. */
  readonly cause?: Cause | undefined;
}

export interface AcceptedRedemption {
  readonly redemption: RedemptionRow;
  readonly evalJob: EvalJobRow;
  /** The agent's balance after the charge. */
  readonly balance: number;
  readonly cause: Cause | undefined;
}

/**
 * Accepts many redemptions in one transaction: the charges, the redemptions, the eval jobs and the queued runs. The
 * number of statements does not depend on the number of requests, and one request's refusal does not affect the others.
 *
 * @returns for each request, in order, the redemption, or the refusal: insufficient_tokens, too_many_open_jobs or
 *   too_many_failed_runs
 */
export async function acceptRedemptions(
  ctx: Ctx,
  requests: readonly RedemptionRequest[],
): Promise<(AcceptedRedemption | DomainError)[]> {
  return withTransaction(ctx, async (inner) => {
    const agentIds = [...new Set(requests.map((request) => request.agentId))];
    // The ledger comes first: its locks on the accounts serialise the redemptions of an agent, so the count of its open
    // jobs cannot change under us.
    const [ledger, usage] = await together(openLedger(inner, { agentIds }), readUsage(inner, agentIds));
    const results = requests.map((request) => accept(request, ledger, usage));
    const accepted = results.filter(
      (result): result is AcceptedRedemption => !(result instanceof DomainError),
    );
    await together(saveLedger(inner, ledger), addRedemptions(inner, accepted));
    crashPoint('redemptions.written');
    return results;
  });
}

const insertRedemptions = insertStatement('redemptions');
const insertEvalJobs = insertStatement('evalJobs');

async function addRedemptions(ctx: TransactionCtx, accepted: readonly AcceptedRedemption[]): Promise<void> {
  const redemptions = accepted.map(({ redemption }) => redemption);
  const evalJobs = accepted.map(({ evalJob }) => evalJob);
  const payloads = accepted.map(({ evalJob, cause }) => ({ evalJobId: evalJob.id, cause }));
  await together(
    insertRedemptions(ctx.db, redemptions),
    // Each job refers to its redemption, so these come second.
    insertEvalJobs(ctx.db, evalJobs),
    enqueueAll(ctx, 'eval-run', payloads),
  );
}

interface Usage {
  readonly openJobs: Map<string, number>;
  /** End times of the refunded runs in the window, oldest first. */
  readonly refundedAt: Map<string, Date[]>;
}

async function readUsage(ctx: TransactionCtx, agentIds: string[]): Promise<Usage> {
  const { evalJobs } = ctx.db.tables;
  const ofAgents = inList(ctx.db, evalJobs.agentId, agentIds);
  const windowStart = new Date(ctx.clock.now().getTime() - refundedRunsWindowMs);
  const [open, refunded] = await together(
    ctx.db.query
      .select({ agentId: evalJobs.agentId, jobs: count() })
      .from(evalJobs)
      .where(and(ofAgents, isOpenEvalJob(evalJobs)))
      .groupBy(evalJobs.agentId),
    ctx.db.query
      .select({ agentId: evalJobs.agentId, finishedAt: evalJobs.finishedAt })
      .from(evalJobs)
      .where(and(ofAgents, isRefundedEvalJob(evalJobs), gt(evalJobs.finishedAt, windowStart)))
      .orderBy(evalJobs.finishedAt),
  );
  const refundedAt = new Map<string, Date[]>();
  for (const { agentId, finishedAt } of refunded) {
    if (finishedAt !== null) refundedAt.set(agentId, [...(refundedAt.get(agentId) ?? []), finishedAt]);
  }
  return { openJobs: new Map(open.map((row) => [row.agentId, row.jobs])), refundedAt };
}

function accept(request: RedemptionRequest, ledger: Ledger, usage: Usage): AcceptedRedemption | DomainError {
  const openJobs = usage.openJobs.get(request.agentId) ?? 0;
  const refusal = refusalByUsage(request.agentId, openJobs, usage, ledger.now);
  if (refusal !== null) return refusal;
  const redemptionId = createId(ledger.now);
  const free = ledger.takeFreeEval(request.agentId, redemptionId);
  if (!free) {
    const refused = trySpend(ledger, request.agentId, redemptionId);
    if (refused !== null) return refused;
  }
  usage.openJobs.set(request.agentId, openJobs + 1);
  const balance = ledger.account(request.agentId).balance;
  return { ...rowsOf(request, redemptionId, free, ledger.now), balance, cause: request.cause };
}

function refusalByUsage(agentId: string, openJobs: number, usage: Usage, now: Date): DomainError | null {
  if (openJobs >= openJobsPerAgentMax) {
    return new DomainError(
      'too_many_open_jobs',
      `You have ${openJobs} open eval jobs. The limit is ${openJobsPerAgentMax}.`,
      {
        hint: 'Wait for one to finish. GET /v1/eval-jobs lists them.',
        retryAfterSeconds: openJobsRetryAfterSeconds,
      },
    );
  }
  const refundedAt = usage.refundedAt.get(agentId) ?? [];
  if (refundedAt.length < refundedRunsPerAgentMax) return null;
  const freesPlace = refundedAt.at(-refundedRunsPerAgentMax) ?? now;
  const waitMs = freesPlace.getTime() + refundedRunsWindowMs - now.getTime();
  return new DomainError(
    'too_many_failed_runs',
    `${refundedAt.length} of your runs failed and were refunded within 24 hours. The limit is ${refundedRunsPerAgentMax}.`,
    {
      hint: 'Read `failure` in GET /v1/eval-jobs, fix the target, and retry after the time in Retry-After.',
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
    },
  );
}

function trySpend(ledger: Ledger, agentId: string, redemptionId: string): DomainError | null {
  try {
    ledger.spend({ agentId, amount: evalRunCostTokens, reason: 'Eval run', reference: redemptionId });
    return null;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

function rowsOf(
  request: RedemptionRequest,
  redemptionId: string,
  free: boolean,
  now: Date,
): Pick<AcceptedRedemption, 'redemption' | 'evalJob'> {
  const { agentId, product, targetUrl } = request;
  const cost = free ? 0 : evalRunCostTokens;
  return {
    redemption: { id: redemptionId, agentId, product, targetUrl, cost, free, createdAt: now },
    evalJob: {
      id: createId(now),
      redemptionId,
      agentId,
      product,
      targetUrl,
      status: 'queued',
      chargeTokens: cost,
      chargeFree: free,
      chargeState: 'held',
      attempt: 0,
      handBacks: 0,
      leaseUntil: null,
      progressDone: 0,
      progressTotal: suiteCaseCount,
      score: null,
      suiteName,
      suiteVersion,
      suiteSeed: newSeed(),
      failureCode: null,
      failureMessage: null,
      latency: null,
      createdAt: now,
      startedAt: null,
      finishedAt: null,
    },
  };
}
