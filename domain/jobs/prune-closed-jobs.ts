/** Forgets jobs that were closed long ago; the sweeper calls it. */
import { and, inArray, isNotNull, lt } from 'drizzle-orm';
import { type Ctx, withTransaction } from '../context.ts';

const keepClosedJobsMs = 7 * 24 * 60 * 60 * 1_000;
const prunedAtOnceMax = 1_000;

/** @returns how many were removed, at most 1,000 a call */
export async function pruneClosedJobs(ctx: Ctx): Promise<number> {
  return withTransaction(ctx, async ({ db, clock }) => {
    const { jobs } = db.tables;
    const old = db.query
      .select({ id: jobs.id })
      .from(jobs)
      .where(
        and(isNotNull(jobs.closedAt), lt(jobs.closedAt, new Date(clock.now().getTime() - keepClosedJobsMs))),
      )
      .limit(prunedAtOnceMax);
    const removed = await db.query.delete(jobs).where(inArray(jobs.id, old)).returning({ id: jobs.id });
    return removed.length;
  });
}
