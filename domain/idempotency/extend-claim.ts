/** Keeps the claim of a request that is still running, so that claims can be short and those of dead processes lapse soon. */
import { and, eq, isNull } from 'drizzle-orm';
import { type Ctx, withTransaction } from '../context.ts';
import { type Claim, claimMs } from './claim-key.ts';

/** @returns false if the claim was taken over, or has a stored response */
export function extendClaim(ctx: Ctx, { agentId, route, key, claimId }: Claim): Promise<boolean> {
  return withTransaction(ctx, async ({ db, clock }) => {
    const { idempotencyKeys } = db.tables;
    const extended = await db.query
      .update(idempotencyKeys)
      .set({ claimedUntil: new Date(clock.now().getTime() + claimMs) })
      .where(
        and(
          eq(idempotencyKeys.agentId, agentId),
          eq(idempotencyKeys.route, route),
          eq(idempotencyKeys.key, key),
          eq(idempotencyKeys.claimId, claimId),
          isNull(idempotencyKeys.status),
        ),
      )
      .returning({ claimId: idempotencyKeys.claimId });
    return extended.length > 0;
  });
}
