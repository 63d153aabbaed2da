/**
 * Claims an idempotency key for a request before the request has any effect. The holder of the claim may
 * store its response under the key. If its process dies, the claim lapses and the next request with the key
 * takes it over.
 */
import { and, eq, isNull, lt, lte, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { createId } from '#runtime/create-id.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type AgentCtx, type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';

/** How long equal requests without a key have one effect, where the hub makes the key. */
export const madeKeyKeptMs = 60_000;
/** How long a stored response is replayed, unless the request says less. */
export const keptMs = 24 * 60 * 60 * 1000;
/**
 * A request whose claim has not been extended by then counts as dead, and another may take over its key. See
 * {@link extendClaim}.
 */
export const claimMs = 5_000;

/** Identifies the request that holds a key. */
export interface Claim {
  readonly agentId: string;
  readonly route: string;
  readonly key: string;
  readonly claimId: string;
}

export interface StoredResponse {
  readonly status: number;
  readonly body: unknown;
}

interface ClaimKeyInput {
  /** Keys are scoped to the agent and the route. */
  readonly route: string;
  readonly key: string;
  /** Equal for equal requests. */
  readonly requestHash: string;
  /** How long a stored response is replayed; a day by default. */
  readonly keptMs?: number;
  /** Lets the caller release the claim if the call fails without a known outcome. A new id by default. */
  readonly claimId?: string;
}

/** Either this request now holds the key, or an earlier request has already completed under it. */
export type ClaimResult = { readonly claim: Claim } | { readonly stored: StoredResponse };

/** A row may disappear between the insert and the read. More retries than this never happen in practice. */
const triesMax = 4;

/**
 * A claim that lasts longer comes from a process whose clock was ahead. Small differences between machines are normal.
 */
const honestClaimMaxMs = 60_000;

/**
 * Claims the key in a separate transaction, so that other requests see the claim while this one runs.
 * @throws DomainError idempotency_key_reused if the key was used for a different request
 * @throws DomainError request_in_progress if the request that holds the key is still running
 */
export async function claimKey(ctx: AgentCtx, input: ClaimKeyInput): Promise<ClaimResult> {
  const now = ctx.clock.now();
  const { route, key, claimId = createId(now) } = input;
  const claim: Claim = { agentId: ctx.agent.id, route, key, claimId };
  for (let tries = 0; tries < triesMax; tries += 1) {
    const result = await withTransaction(ctx, (tx) => tryClaim(tx.db, claim, input, now));
    if (result === null) continue;
    crashPoint('idempotency-key.claimed');
    return result;
  }
  throw inProgress(1);
}

/** Returns null if another request changed the row meanwhile; the caller retries. */
async function tryClaim(
  db: Database,
  claim: Claim,
  { requestHash, keptMs: replayedMs = keptMs }: ClaimKeyInput,
  now: Date,
): Promise<ClaimResult | null> {
  const { idempotencyKeys } = db.tables;
  const fresh = {
    requestHash,
    claimId: claim.claimId,
    claimedUntil: new Date(now.getTime() + claimMs),
    status: null,
    body: null,
    createdAt: now,
  };
  const inserted = await db.query
    .insert(idempotencyKeys)
    .values({ agentId: claim.agentId, route: claim.route, key: claim.key, ...fresh })
    .onConflictDoNothing()
    .returning({ claimId: idempotencyKeys.claimId });
  if (inserted.length > 0) return { claim };

  const row = and(
    eq(idempotencyKeys.agentId, claim.agentId),
    eq(idempotencyKeys.route, claim.route),
    eq(idempotencyKeys.key, claim.key),
  );
  const [existing] = await db.query.select().from(idempotencyKeys).where(row);
  if (existing === undefined) return null;
  if (existing.status === null) {
    const leftMs = existing.claimedUntil.getTime() - now.getTime();
    if (leftMs > 0 && leftMs <= honestClaimMaxMs) throw inProgress(leftMs / 1000);
  } else if (existing.createdAt.getTime() > now.getTime() - replayedMs) {
    if (existing.requestHash !== requestHash) throw reused();
    return { stored: { status: existing.status, body: existing.body } };
  }
  const taken = await db.query
    .update(idempotencyKeys)
    .set(fresh)
    .where(and(row, eq(idempotencyKeys.claimId, existing.claimId)))
    .returning({ claimId: idempotencyKeys.claimId });
  return taken.length > 0 ? { claim } : null;
}

function reused(): DomainError {
  return new DomainError(
    'idempotency_key_reused',
    'This `Idempotency-Key` was used for a different request.',
    {
      hint: 'Use a new key for a new request. Send the same key only to repeat the same request.',
    },
  );
}

function inProgress(retryAfterSeconds: number): DomainError {
  return new DomainError('request_in_progress', 'The same request is still running.', {
    hint: 'Repeat it, with the same key if it has one, after the number of seconds in `Retry-After`.',
    retryAfterSeconds,
  });
}

/**
 * Keeps the claim of a request that is still running, so that claims can be short and those of dead processes lapse soon.
 * @returns false if the claim was taken over, or has a stored response
 */
export function extendClaim(ctx: Ctx, claim: Claim): Promise<boolean> {
  return withTransaction(ctx, async ({ db, clock }) => {
    const { idempotencyKeys } = db.tables;
    const extended = await db.query
      .update(idempotencyKeys)
      .set({ claimedUntil: new Date(clock.now().getTime() + claimMs) })
      .where(isHeld(db, claim))
      .returning({ claimId: idempotencyKeys.claimId });
    return extended.length > 0;
  });
}

/**
 * Stores a response under its idempotency key, to be replayed when the request is repeated.
 * Stores the response in the caller's transaction, so that it is kept if and only if its effect is.
 * @throws DomainError request_in_progress if the claim was taken over; the caller's transaction must then
 * roll back
 */
export async function storeResponse(
  ctx: TransactionCtx,
  claim: Claim,
  answer: StoredResponse,
): Promise<void> {
  const { idempotencyKeys } = ctx.db.tables;
  const stored = await ctx.db.query
    .update(idempotencyKeys)
    .set({ status: answer.status, body: answer.body })
    .where(isHeld(ctx.db, claim))
    .returning({ claimId: idempotencyKeys.claimId });
  if (stored.length === 0) throw inProgress(1);
  crashPoint('answer.stored');
}

/**
 * Releases an idempotency key after an error response. Only responses that changed something are kept, so
 * that a failed request can be retried with the same key.
 * Deletes the claim unless it was taken over or has a stored response.
 */
export async function releaseKey(ctx: Ctx, claim: Claim): Promise<void> {
  await withTransaction(ctx, async ({ db }) => {
    const { idempotencyKeys } = db.tables;
    await db.query.delete(idempotencyKeys).where(isHeld(db, claim));
  });
}

function isHeld({ tables: { idempotencyKeys } }: Ctx['db'], { agentId, route, key, claimId }: Claim) {
  return and(
    eq(idempotencyKeys.agentId, agentId),
    eq(idempotencyKeys.route, route),
    eq(idempotencyKeys.key, key),
    eq(idempotencyKeys.claimId, claimId),
    isNull(idempotencyKeys.status),
  );
}

/** Rows deleted per transaction. */
const pruneBatch = 1000;

/**
 * Deletes the oldest expired keys. The sweeper calls this.
 * @returns the number of rows deleted; `pruneBatch` or more means there may be others
 */
export function pruneIdempotencyKeys(ctx: Ctx): Promise<number> {
  return withTransaction(ctx, async ({ db }) => {
    const { idempotencyKeys } = db.tables;
    const oldest = await db.query
      .select({ createdAt: idempotencyKeys.createdAt })
      .from(idempotencyKeys)
      .where(lt(idempotencyKeys.createdAt, new Date(ctx.clock.now().getTime() - keptMs)))
      .orderBy(idempotencyKeys.createdAt)
      .limit(pruneBatch);
    const newest = oldest.at(-1);
    if (newest === undefined) return 0;
    // A key that is taken over meanwhile gets a new `created_at` and so stays.
    const removed = await db.query
      .delete(idempotencyKeys)
      .where(lte(idempotencyKeys.createdAt, newest.createdAt))
      .returning({ one: sql`1` });
    return removed.length;
  });
}
