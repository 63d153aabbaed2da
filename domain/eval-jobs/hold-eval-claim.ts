/**
 * Renews a claim on an eval job, or gives it up so that another runner need not wait for the lease to end.
 */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import { type Ctx, withTransaction } from '../context.ts';
import { evalLeaseMs } from './eval-job.ts';

export interface EvalClaimKey {
  readonly evalJobId: string;
  /** The attempt that the claim started. */
  readonly attempt: number;
}

/** @returns false when another runner holds the claim */
export function renewEvalLease(ctx: Ctx, claim: EvalClaimKey): Promise<boolean> {
  return changeClaim(ctx, claim, { leaseUntil: new Date(ctx.clock.now().getTime() + evalLeaseMs) });
}

/**
 * Hands the unfinished job back. Recorded cases are kept, and this attempt does not count against the run.
 */
export async function handBackEvalJob(ctx: Ctx, claim: EvalClaimKey): Promise<void> {
  const { handBacks } = ctx.db.tables.evalJobs;
  await changeClaim(ctx, claim, { leaseUntil: ctx.clock.now(), handBacks: sql`${handBacks} + 1` });
}

function changeClaim(
  ctx: Ctx,
  claim: EvalClaimKey,
  change: { readonly leaseUntil: Date; readonly handBacks?: SQL },
): Promise<boolean> {
  return withTransaction(ctx, async ({ db }) => {
    const { evalJobs } = db.tables;
    const held = await db.query
      .update(evalJobs)
      .set(change)
      .where(
        and(
          eq(evalJobs.id, claim.evalJobId),
          eq(evalJobs.attempt, claim.attempt),
          eq(evalJobs.status, 'running'),
        ),
      )
      .returning({ id: evalJobs.id });
    return held.length === 1;
  });
}
