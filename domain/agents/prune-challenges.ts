/** Deletes challenges that expired long ago. The sweeper calls this. */
import { inArray, lt } from 'drizzle-orm';
import { type Ctx, withTransaction } from '../context.ts';
import { challengesPrunedAtOnceMax, keepClosedChallengesMs } from './agent-limits.ts';

/** @returns the number of rows deleted, at most 1,000 per call */
export async function pruneChallenges(ctx: Ctx): Promise<number> {
  return withTransaction(ctx, async ({ db, clock }) => {
    const { challenges } = db.tables;
    const old = db.query
      .select({ id: challenges.id })
      .from(challenges)
      .where(lt(challenges.expiresAt, new Date(clock.now().getTime() - keepClosedChallengesMs)))
      .limit(challengesPrunedAtOnceMax);
    const removed = await db.query
      .delete(challenges)
      .where(inArray(challenges.id, old))
      .returning({ id: challenges.id });
    return removed.length;
  });
}
