/**
 * Releases an idempotency key after an error response. Only responses that changed something are kept, so
 * that a failed request can be retried with the same key.
 */
import { and, eq, isNull } from 'drizzle-orm';
import { type Ctx, withTransaction } from '../context.ts';
import type { Claim } from './claim-key.ts';

/** Deletes the claim unless it was taken over or has a stored response. */
export async function releaseKey(ctx: Ctx, claim: Claim): Promise<void> {
  await withTransaction(ctx, async ({ db }) => {
    const { idempotencyKeys } = db.tables;
    await db.query
      .delete(idempotencyKeys)
      .where(
        and(
          eq(idempotencyKeys.agentId, claim.agentId),
          eq(idempotencyKeys.route, claim.route),
          eq(idempotencyKeys.key, claim.key),
          eq(idempotencyKeys.claimId, claim.claimId),
          isNull(idempotencyKeys.status),
        ),
      );
  });
}
