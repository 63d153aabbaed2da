/**
 * Claims an idempotency key for a request before the request has any effect. The holder of the claim may
 * store its response under the key. If its process dies, the claim lapses and the next request with the key
 * takes it over.
 */
import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { createId } from '#runtime/create-id.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';

/** How long a stored response is replayed. */
export const keptMs = 24 * 60 * 60 * 1000;
/**
 * A request whose claim has not been extended by then counts as dead, and another may take over its key. See
 * `extend-claim.ts`.
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

export interface ClaimKeyInput {
  /** Keys are scoped to the agent and the route. */
  readonly route: string;
  readonly key: string;
  /** Equal for equal requests. */
  readonly requestHash: string;
  /** Lets the caller release the claim if the call fails without a known outcome. A new id by default. */
  readonly claimId?: string;
}

/** Either this request now holds the key, or an earlier request has already completed under it. */
export type ClaimResult = { readonly claim: Claim } | { readonly stored: StoredResponse };

/** A row may disappear between the insert and the read. More retries than this never happen in practice. */
const triesMax = 4;

/**
 * A claim that lasts longer comes from a process whose clock was ahead. Small differences between machines
 * are normal, and processes of version 0.3 claim 30 seconds, without extending them, while a hub is upgraded.
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
    const result = await withTransaction(ctx, (tx) => tryClaim(tx.db, claim, input.requestHash, now));
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
  requestHash: string,
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
  const isKept = existing.createdAt.getTime() > now.getTime() - keptMs;
  if (isKept && existing.status !== null) {
    if (existing.requestHash !== requestHash) throw reused();
    return { stored: { status: existing.status, body: existing.body } };
  }
  const leftMs = existing.claimedUntil.getTime() - now.getTime();
  if (isKept && leftMs > 0 && leftMs <= honestClaimMaxMs) throw inProgress(leftMs / 1000);
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

export function inProgress(retryAfterSeconds: number): DomainError {
  return new DomainError('request_in_progress', 'A request with this `Idempotency-Key` is still running.', {
    hint: 'Repeat the request with the same key after the number of seconds in `Retry-After`.',
    retryAfterSeconds,
  });
}
