/** Stores a response under its idempotency key, to be replayed when the request is repeated. */
import { and, eq, isNull } from 'drizzle-orm';
import { crashPoint } from '#runtime/process/crash-points.ts';
import type { TransactionCtx } from '../context.ts';
import { type Claim, inProgress, type StoredResponse } from './claim-key.ts';

/**
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
