/** Gives an idempotency key back after a refusal: only answers that changed something are kept (decisions.md section 1). */
import { and, eq, isNull } from 'drizzle-orm';
import { type Ctx, withTransaction } from '../context.ts';
import type { Claim } from './claim-key.ts';

/** Removes the claim, unless it was taken over or an answer is stored under it. */
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
