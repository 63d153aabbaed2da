/** Agents pay for runs with tokens, or take the free first run of a product. */
import { randomBytes } from 'node:crypto';
import type { Database } from '#db/database.ts';
import { insertStatement } from '#db/prepared.ts';
import type { RunRow, TargetSettings } from '#db/schema/run-tables.ts';
import { pipelined } from '#db/transaction.ts';
import { type Batcher, createBatcher } from '#runtime/loop-turns.ts';
import { createId } from '#runtime/create-id.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import type { Cause } from '#runtime/tracing/log.ts';
import { findAbsences, refusalOfAbsence } from '../agents/token-bearers.ts';
import {
  type AgentCtx,
  type Ctx,
  isInTransaction,
  type TransactionCtx,
  withTransaction,
} from '../context.ts';
import { DomainError } from '../errors.ts';
import type { HubRules } from '../hub-rules.ts';
import { enqueueAllAtCommit } from '../jobs/enqueue.ts';
import type { Ledger } from '../tokens/ledger.ts';
import { holdSuite } from '../suites/find-runnable-suite.ts';
import { openLedger, saveLedgerAtCommit } from '../tokens/ledger-store.ts';
import type { Product, RunOrder } from './product.ts';
import { countStoredOfEach, findStorageRefusals } from '../storage/count-stored.ts';
import { productOf } from './products.ts';
import { readOrder } from './read-order.ts';
import { readUsage, refusalByUsage, type Usage } from './read-usage.ts';
import { unfetchedMs } from './run-limits.ts';
import type { RedemptionInput } from './redemption-input.ts';

/** A request with a validated order. */
export interface RedemptionRequest {
  readonly agentId: string;
  readonly order: RunOrder;
  /** The trace of this request; the context's when left out. */
  readonly cause?: Cause | undefined;
}

export interface AcceptedRedemption {
  readonly run: RunRow;
  /** The agent's balance after the charge. */
  readonly balance: number;
  readonly cause: Cause | undefined;
}

/**
 * Charges the acting agent for a product and starts its run. Concurrent calls share a transaction, unless `ctx` is in
 * one already (an `Idempotency-Key` opens one).
 *
 * @throws DomainError product_not_available, invalid_target_url, invalid_body, agent_suspended, insufficient_tokens,
 *   too_many_open_jobs, too_many_failed_runs
 */
export async function redeem(ctx: AgentCtx, input: RedemptionInput): Promise<AcceptedRedemption> {
  const order = await readOrder(ctx, input);
  const request = { agentId: ctx.agent.id, order, cause: ctx.cause };
  if (!isInTransaction(ctx)) return batcherFor(ctx).ask({ ctx, request });
  const [result] = await acceptRedemptions(ctx, [request]);
  if (result === undefined || result instanceof Error) throw result ?? new Error('A request has a result.');
  return result;
}

interface QueuedRedemption {
  readonly ctx: AgentCtx;
  readonly request: RedemptionRequest;
}

const acceptedAtOnceMax = 128;
/** Batches of one agent wait for its account anyway, and SQLite has one writer. */
const batchesAtOnceMax = 2;
const batchers = new WeakMap<Database, Batcher<QueuedRedemption, AcceptedRedemption>>();

function batcherFor({ db }: Ctx): Batcher<QueuedRedemption, AcceptedRedemption> {
  const existing = batchers.get(db);
  if (existing !== undefined) return existing;
  const batcher = createBatcher<QueuedRedemption, AcceptedRedemption>({
    maxBatch: acceptedAtOnceMax,
    maxInFlight: batchesAtOnceMax,
    handle: acceptQueued,
  });
  batchers.set(db, batcher);
  return batcher;
}

/** Contexts of one database differ only in the agent and the cause, which the requests carry. */
async function acceptQueued(
  queued: readonly QueuedRedemption[],
): Promise<readonly (AcceptedRedemption | DomainError)[]> {
  const [first] = queued;
  if (first === undefined) return [];
  const { db, clock, rules, publisher } = first.ctx;
  return withTransaction({ db, clock, rules, publisher }, async (inner) => {
    const results = await acceptRedemptions(
      inner,
      queued.map(({ request }) => request),
    );
    const accepted = queued.filter((_, at) => !(results[at] instanceof DomainError));
    await countStoredOfEach(
      inner,
      accepted.map(({ ctx: { agent } }) => ({ agentId: agent.id, network: agent.network ?? null })),
    );
    return results;
  });
}

const insertRuns = insertStatement('runs');

/**
 * Accepts many redemptions in one transaction: the charges and the runs. The number of statements does
 * not depend on the number of requests, and one request's refusal does not affect the others.
 *
 * @returns for each request, in order, the redemption, or the refusal: agent_suspended, invalid_token if the account
 *   was closed, insufficient_tokens, too_many_open_jobs, too_many_failed_runs, or rate_limited if nothing more may be
 *   stored
 */
export async function acceptRedemptions(
  ctx: Ctx,
  requests: readonly RedemptionRequest[],
): Promise<(AcceptedRedemption | DomainError)[]> {
  return withTransaction(ctx, async (inner) => {
    const agentIds = [...new Set(requests.map((request) => request.agentId))];
    // The ledger comes first: its locks on the accounts serialise the redemptions of an agent, so the count of its open
    // runs cannot change in the meantime.
    const [ledger, usage, absences, full] = await pipelined(
      openLedger(inner, { agentIds }),
      readUsage(inner, agentIds),
      findAbsences(inner.db, agentIds),
      findStorageRefusals(inner, agentIds),
    );
    const absent = new Map(absences.map((agent) => [agent.id, agent]));
    const results: (AcceptedRedemption | DomainError)[] = [];
    for (const request of requests) {
      const refusal = refusalOfAbsence(absent.get(request.agentId), ledger.now) ?? full.get(request.agentId);
      results.push(refusal ?? (await begin(inner, request, { ledger, usage, rules: inner.rules })));
    }
    const accepted = results.filter(
      (result): result is AcceptedRedemption => !(result instanceof DomainError),
    );
    saveLedgerAtCommit(inner, ledger);
    insertRuns.atCommit(
      inner.db,
      accepted.map(({ run }) => run),
    );
    const pushed = accepted.filter(({ run }) => run.mode === 'push');
    enqueueAllAtCommit(
      inner,
      'run',
      pushed.map(({ run, cause }) => ({ runId: run.id, cause })),
    );
    crashPoint('redemptions.written');
    return results;
  });
}

/** Records only of an accepted run that its suite was run, because the suite can then no longer be deleted. */
async function begin(
  ctx: TransactionCtx,
  request: RedemptionRequest,
  acceptance: Acceptance,
): Promise<AcceptedRedemption | DomainError> {
  const { agentId, order } = request;
  const { ids } = order.suite;
  try {
    const record = ids && (await holdSuite(ctx, { suiteId: ids.suiteId, runnerId: agentId }));
    const result = accept(request, acceptance);
    await record?.();
    return result;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

/** A run that may wait longer for each reply is never free. */
const freeTimeoutMaxSeconds = 60;

/** @returns why the first run of a product that calls targets is not free; null if it may be */
function whyRankedOrSlow(ranked: boolean, target: TargetSettings | null): string | null {
  if (ranked) return 'a ranked run never is';
  const timeoutS = target?.timeout_s ?? 0;
  if (timeoutS <= freeTimeoutMaxSeconds) return null;
  return `a run with \`timeout_s\` above ${freeTimeoutMaxSeconds} never is (yours has ${timeoutS})`;
}

interface Acceptance {
  readonly ledger: Ledger;
  readonly usage: Usage;
  readonly rules: Pick<HubRules, 'identity' | 'evalRunSeconds'>;
}

/** @throws DomainError insufficient_tokens, too_many_open_jobs, too_many_failed_runs */
function accept(
  { agentId, order, cause }: RedemptionRequest,
  { ledger, usage, rules }: Acceptance,
): AcceptedRedemption {
  const product = productOf(order);
  const refusal = refusalByUsage(agentId, usage, rules, ledger.now);
  if (refusal !== null) throw refusal;
  const id = createId(ledger.now);
  const { freeRunField } = product.price;
  const whyNotFree =
    product.price.whyNotFree(order) ??
    (order.replayOf === null ? whyRankedOrSlow(order.ranked, order.target) : 'a replay never is');
  const free = order.cost > 0 && whyNotFree === null && ledger.takeFreeRun(freeRunField, agentId, id);
  const cost = free ? 0 : order.cost;
  try {
    if (cost > 0) ledger.spend({ agentId, amount: cost, reason: product.describe.title, reference: id });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const isFreeRunLeft = ledger.account(agentId)[freeRunField] === null;
    const explained = whyNotFree !== null && isFreeRunLeft ? notFree(error, product, whyNotFree) : error;
    throw rules.identity.isPrivate ? withWayOut(explained, product) : explained;
  }
  const { balance } = ledger.account(agentId);
  const run = newRun(order, { redemptionId: id, agentId, cost, free, createdAt: ledger.now });
  usage.atWork.set(agentId, [...(usage.atWork.get(agentId) ?? []), run]);
  return { run, balance, cause };
}

/** A caller with a free run left expects to pay nothing. */
function notFree({ code, message, extras }: DomainError, { name }: Product, why: string): DomainError {
  return new DomainError(code, `${message} Your first \`${name}\` is free, but ${why}.`, extras);
}

/** On a private hub, agent and operator are usually the same team. */
function withWayOut(
  { code, message, extras }: DomainError,
  { name, price: { setting } }: Product,
): DomainError {
  const wayOut = `The operator of this hub makes every \`${name}\` free with ${setting}=0, or \`hub settings set ${setting} 0\`.`;
  return new DomainError(code, message, { ...extras, hint: [extras.hint, wayOut].join(' ').trim() });
}

interface Charge {
  readonly redemptionId: string;
  readonly agentId: string;
  readonly cost: number;
  readonly free: boolean;
  readonly createdAt: Date;
}

export function newRun(
  {
    cost: _cost,
    seed,
    suite: { name: suiteName, version: suiteVersion, ids },
    only = null,
    shareReplies = false,
    maxPromptTokens = null,
    limitSeconds = null,
    regradedFrom = null,
    ...order
  }: RunOrder,
  { redemptionId, agentId, cost, free, createdAt }: Charge,
): RunRow {
  const mode = order.targetUrl === null && regradedFrom === null ? 'pull' : 'push';
  return {
    ...order,
    id: createId(createdAt),
    redemptionId,
    agentId,
    mode,
    only,
    shareReplies,
    maxPromptTokens,
    limitSeconds,
    regradedFrom,
    status: 'queued',
    chargeTokens: cost,
    chargeFree: free,
    chargeState: 'held',
    attempt: 0,
    releases: 0,
    delayedMs: 0,
    calls: 0,
    hostNamed: false,
    leaseUntil: null,
    progressDone: 0,
    progressTotal: order.runSize,
    score: null,
    suiteName,
    suiteVersion,
    suiteSeed: seed ?? newSeed(),
    seedGiven: seed !== null,
    suiteId: ids?.suiteId ?? null,
    suiteVersionId: ids?.suiteVersionId ?? null,
    estimate: null,
    failureCode: null,
    failureMessage: null,
    failureCause: null,
    cancelled: false,
    latency: null,
    usage: null,
    casesSeen: null,
    // In push mode, it waits for a worker.
    dueAt: mode === 'push' ? null : new Date(createdAt.getTime() + unfetchedMs),
    createdAt,
    startedAt: null,
    finishedAt: null,
    struckAt: null,
    itemsPrunedAt: null,
  };
}

/** 128 bits as 32 hex digits, from the system's cryptographic source, so that no target can predict its cases. */
function newSeed(): string {
  return randomBytes(16).toString('hex');
}
