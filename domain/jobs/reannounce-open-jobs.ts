/** The pump's half that touches the store: announces open jobs again that the queue may have forgotten. */
import { and, asc, gt, inArray, isNull, lt } from 'drizzle-orm';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { noticesOf } from './job-kinds.ts';

/** A job is normally taken up within milliseconds; after this long it is worth asking whether the queue still knows it. */
export const announcedOldAfterMs = 15_000;

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
    await resetFutureJobs(inner);
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

/** A job that was made in the future is of a process whose clock was ahead: it is due, and was announced nobody knows when. */
async function resetFutureJobs({ db, clock }: TransactionCtx): Promise<void> {
  const { jobs } = db.tables;
  const now = clock.now();
  const isAhead = new Date(now.getTime() + announcedOldAfterMs);
  await db.query
    .update(jobs)
    .set({ createdAt: now, runAt: now, publishedAt: new Date(0) })
    .where(and(isNull(jobs.closedAt), gt(jobs.publishedAt, isAhead), gt(jobs.createdAt, isAhead)));
}
