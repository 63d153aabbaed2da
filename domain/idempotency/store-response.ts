/** Keeps the answer to a request under its idempotency key, for repeats of the request to be given the same. */
import { and, eq, isNull } from 'drizzle-orm';
import { crashPoint } from '#runtime/process/crash-points.ts';
import type { TransactionCtx } from '../context.ts';
import { type Claim, inProgress, type StoredResponse } from './claim-key.ts';

/**
 * Stores the answer in the caller's transaction, so that it is kept exactly if the effect it speaks of is.
 * @throws DomainError request_in_progress when the claim was taken over meanwhile; the transaction must not commit then
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
    .where(
      and(
        eq(idempotencyKeys.agentId, claim.agentId),
        eq(idempotencyKeys.route, claim.route),
        eq(idempotencyKeys.key, claim.key),
        eq(idempotencyKeys.claimId, claim.claimId),
        isNull(idempotencyKeys.status),
      ),
    )
    .returning({ claimId: idempotencyKeys.claimId });
  if (stored.length === 0) throw inProgress(1);
  crashPoint('answer.stored');
}
