/**
 * Takes an idempotency key for one request, before the request has any effect. Whoever holds the claim may store the
 * answer under it; a claim that lapsed, since its process died, can be taken over by the next request with the key.
 */
import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { createId } from '#runtime/create-id.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';

/** A stored answer is replayed for this long. */
export const keptMs = 24 * 60 * 60 * 1000;
/** A request that has not answered by then is taken for dead, and another may take its key over. */
export const claimMs = 30_000;

/** Names a request that holds a key. */
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
  /** Keys are told apart by agent and route (decisions.md section 1). */
  readonly route: string;
  readonly key: string;
  /** The same for the same request. */
  readonly requestHash: string;
}

/** Either the key is now this request's, or an earlier request with it was answered already. */
export type ClaimResult = { readonly claim: Claim } | { readonly stored: StoredResponse };

/** A row may be released between being met and being read; more often than this it is not. */
const triesMax = 4;

/** A claim that lasts longer is of a process whose clock was ahead. Clocks of several machines may differ a little. */
const honestClaimMaxMs = 2 * claimMs;

/**
 * Claims the key in a transaction of its own, so that others see it while the request runs.
 * @throws DomainError idempotency_key_reused when the key stands for another request
 * @throws DomainError request_in_progress when the request that holds the key is still running
 */
export async function claimKey(ctx: AgentCtx, input: ClaimKeyInput): Promise<ClaimResult> {
  const now = ctx.clock.now();
  const claim: Claim = { agentId: ctx.agent.id, route: input.route, key: input.key, claimId: createId(now) };
  for (let tries = 0; tries < triesMax; tries += 1) {
    const result = await withTransaction(ctx, (tx) => tryClaim(tx.db, claim, input.requestHash, now));
    if (result === null) continue;
    crashPoint('idempotency-key.claimed');
    return result;
  }
  throw inProgress(1);
}

/** Null when somebody else was faster and it has to be looked at again. */
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
      hint: 'Send a new key with a new request, and the same key only to repeat the same request.',
    },
  );
}

/** The refusal for a key that another request holds just now. */
export function inProgress(retryAfterSeconds: number): DomainError {
  return new DomainError('request_in_progress', 'A request with this `Idempotency-Key` is still running.', {
    hint: 'Repeat it with the same key after as many seconds as `Retry-After` says.',
    retryAfterSeconds,
  });
}
