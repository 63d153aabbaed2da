/** The store side of the outbox relay: announces open jobs again that the queue may have lost. */
import { and, asc, eq, gt, inArray, isNotNull, isNull, lt } from 'drizzle-orm';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { pruneRows } from '../retention.ts';
import { noticesOf } from './job-kinds.ts';

/**
 * A worker normally picks up a job within milliseconds. After this long, check that the queue still has it.
 */
export const announcedOldAfterMs = 15_000;

interface ReannounceInput {
  /** Jobs announced at or after this instant are skipped. */
  readonly announcedBefore: Date;
  readonly limit: number;
}

/**
 * Announces up to `limit` open jobs, least recently announced first. Announcing a job that the queue still
 * has is a no-op, so any number of relays may run.
 * @returns the number of jobs announced
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

/**
 * A job created in the future comes from a process whose clock was ahead. Make it due now and treat it as
 * never announced.
 */
async function resetFutureJobs({ db, clock }: TransactionCtx): Promise<void> {
  const { jobs } = db.tables;
  const now = clock.now();
  const isAhead = new Date(now.getTime() + announcedOldAfterMs);
  await db.query
    .update(jobs)
    .set({ createdAt: now, runAt: now, publishedAt: new Date(0) })
    .where(and(isNull(jobs.closedAt), gt(jobs.publishedAt, isAhead), gt(jobs.createdAt, isAhead)));
}

/**
 * Postpones a job in the transaction that decided to retry it later.
 * The caller also returns the job to the queue with a delay (`Snooze`). `publishedAt` is set so that the
 * relay first checks the job when it is due: a job that waits for hours costs nothing, and a queue that lost
 * it is told in time.
 */
export async function postponeJob(ctx: TransactionCtx, id: string, runAt: Date): Promise<void> {
  const { jobs } = ctx.db.tables;
  const now = ctx.clock.now().getTime();
  const publishedAt = new Date(Math.max(now, runAt.getTime() - announcedOldAfterMs));
  await ctx.db.query
    .update(jobs)
    .set({ runAt, publishedAt })
    .where(and(eq(jobs.id, id), isNull(jobs.closedAt)));
}

const keepClosedJobsMs = 7 * 24 * 60 * 60 * 1_000;

/** Deletes jobs that were closed long ago. */
export function pruneClosedJobs(ctx: Ctx): Promise<number> {
  return pruneRows(ctx, ({ jobs }, before) => ({
    table: jobs,
    id: jobs.id,
    isOld: and(isNotNull(jobs.closedAt), lt(jobs.closedAt, before(keepClosedJobsMs))),
  }));
}
