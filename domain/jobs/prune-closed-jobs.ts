/** Deletes jobs that were closed long ago. The sweeper calls this. */
import { and, inArray, isNotNull, lt } from 'drizzle-orm';
import { type Ctx, withTransaction } from '../context.ts';

const keepClosedJobsMs = 7 * 24 * 60 * 60 * 1_000;
const prunedAtOnceMax = 1_000;

/** @returns the number of rows deleted, at most 1,000 per call */
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
