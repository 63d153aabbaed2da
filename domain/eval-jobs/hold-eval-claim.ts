/**
 * Renews claims on eval jobs, or releases one so that another runner need not wait for the lease to end.
 */
import { and, asc, eq, sql } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import { lockRows } from '#db/locks.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { evalLeaseMs } from './eval-job.ts';

export interface EvalClaimKey {
  readonly runId: string;
  /** The attempt that the claim started. */
  readonly attempt: number;
}

/**
 * Renews the claims of one runner process.
 * @returns for each claim, in order, whether it still holds; false when another runner has it or the run has ended
 */
export function renewEvalLeases(ctx: Ctx, claims: readonly EvalClaimKey[]): Promise<boolean[]> {
  return withTransaction(ctx, async ({ db, clock }) => {
    const { runs } = db.tables;
    const jobIds = claims.map(({ runId }) => runId);
    const running = await lockRows(
      db,
      db.query
        .select({ id: runs.id, attempt: runs.attempt })
        .from(runs)
        .where(and(inList(db, runs.id, jobIds), eq(runs.status, 'running')))
        .orderBy(asc(runs.id)),
    );
    const attempts = new Map(running.map(({ id, attempt }) => [id, attempt]));
    const held = claims.map(({ runId, attempt }) => attempts.get(runId) === attempt);
    await db.query
      .update(runs)
      .set({ leaseUntil: new Date(clock.now().getTime() + evalLeaseMs) })
      .where(
        inList(
          db,
          runs.id,
          jobIds.filter((_, index) => held[index]),
        ),
      );
    return held;
  });
}

/**
 * Hands the unfinished job back. Recorded cases are kept, and this attempt does not count against the run.
 */
export async function handBackEvalJob(ctx: Ctx, claim: EvalClaimKey): Promise<void> {
  await withTransaction(ctx, ({ db, clock }) => {
    const { runs } = db.tables;
    return db.query
      .update(runs)
      .set({ leaseUntil: clock.now(), releases: sql`${runs.releases} + 1`, replyAttempt: null })
      .where(and(eq(runs.id, claim.runId), eq(runs.attempt, claim.attempt), eq(runs.status, 'running')));
  });
}

/** Notes that the claim holds a reply of the target, or no longer does. */
export async function noteEvalReply(ctx: Ctx, claim: EvalClaimKey, isHeld: boolean): Promise<void> {
  await withTransaction(ctx, ({ db }) => {
    const { runs } = db.tables;
    return db.query
      .update(runs)
      .set({ replyAttempt: isHeld ? claim.attempt : null })
      .where(and(eq(runs.id, claim.runId), eq(runs.attempt, claim.attempt), eq(runs.status, 'running')));
  });
}
