/** The pump's half that touches the store: announces open jobs again that the queue may have forgotten. */
import { and, asc, inArray, isNull, lt } from 'drizzle-orm';
import { crashPoint } from '#runtime/crash-points.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { noticesOf } from './notices-of.ts';

export interface ReannounceInput {
  /** Jobs announced at or after this instant are left alone. */
  readonly announcedBefore: Date;
  /** How many at the most in this call. */
  readonly limit: number;
}

/**
 * Announces up to `limit` open jobs, those first whose last announcement is longest ago, and returns how many there were.
 * Announcing a job that the queue still knows changes nothing, so any number of pumps may run.
 */
export async function reannounceOpenJobs(ctx: Ctx, input: ReannounceInput): Promise<number> {
  return withTransaction(ctx, async (inner) => {
    const { jobs } = inner.db.tables;
    const due = inner.db.query
      .select({ id: jobs.id })
      .from(jobs)
      .where(and(isNull(jobs.closedAt), lt(jobs.publishedAt, input.announcedBefore)))
      .orderBy(asc(jobs.publishedAt), asc(jobs.id))
      .limit(input.limit);
    const rows = await inner.db.query
      .update(jobs)
      .set({ publishedAt: inner.clock.now() })
      .where(and(inArray(jobs.id, due), isNull(jobs.closedAt)))
      .returning();
    crashPoint('jobs.announced-again');
    inner.db.afterCommit(() => inner.publisher.publish(noticesOf(rows)));
    return rows.length;
  });
}
