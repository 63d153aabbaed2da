import { and, eq, gt, isNull } from 'drizzle-orm';
import type { TransactionCtx } from '../context.ts';
import type { ChallengeRow } from './create-challenge.ts';
import { challengeClosed } from './find-signed-challenge.ts';

/**
 * Compare-and-swap: the call that sets `used_at` wins, all others get the matching error.
 * @throws DomainError challenge_expired, challenge_used
 */
export async function useChallenge(ctx: TransactionCtx, id: string): Promise<ChallengeRow> {
  const { challenges } = ctx.db.tables;
  const now = ctx.clock.now();
  const [used] = await ctx.db.query
    .update(challenges)
    .set({ usedAt: now })
    .where(and(eq(challenges.id, id), isNull(challenges.usedAt), gt(challenges.expiresAt, now)))
    .returning();
  if (used !== undefined) return used;
  const [closed] = await ctx.db.query
    .select({ usedAt: challenges.usedAt })
    .from(challenges)
    .where(eq(challenges.id, id));
  // An expired registration may have been replaced.
  throw challengeClosed(closed ?? { usedAt: null });
}
