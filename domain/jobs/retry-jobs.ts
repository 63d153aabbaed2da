/**
 * Lets an operator run open jobs now instead of when they are due, for example after fixing the mail server.
 * Closed jobs cannot be retried: a failed eval run has been refunded.
 */
import { and, asc, eq, gt, inArray, isNull } from 'drizzle-orm';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { isJobKind, type JobKind, type JobRow, noticesOf, subjectIdOf } from './job-kinds.ts';

/** How many jobs one call may retry. */
export const retriedAtOnceMax = 500;

/**
 * Makes the jobs due and announces them. For jobs that the queue holds as delayed, announcing is a no-op; the
 * caller must promote them in the queue. Jobs that a worker is processing are not interrupted.
 * @param ids at most `retriedAtOnceMax`
 * @returns the jobs that are now open and due
 */
export async function retryJobs(ctx: Ctx, ids: readonly string[]): Promise<readonly JobRow[]> {
  return withTransaction(ctx, async (inner) => {
    const { jobs } = inner.db.tables;
    const now = inner.clock.now();
    const rows = await inner.db.query
      .update(jobs)
      .set({ runAt: now, publishedAt: now })
      .where(and(inArray(jobs.id, [...ids]), isNull(jobs.closedAt)))
      .returning();
    const subjects = Map.groupBy(
      rows.filter((row) => isJobKind(row.kind)),
      (row) => row.kind as JobKind, // Filtered just above.
    );
    for (const [kind, some] of subjects) {
      await makeDue(
        inner,
        kind,
        some.flatMap((row) => subjectIdOf(row) ?? []),
      );
    }
    inner.db.afterCommit(() => inner.publisher.publish(noticesOf(rows)));
    return rows;
  });
}

/** Emails and deliveries have their own retry time, which their workers obey. */
async function makeDue(ctx: TransactionCtx, kind: JobKind, ids: readonly string[]): Promise<void> {
  const { mails, webhookDeliveries } = ctx.db.tables;
  const now = ctx.clock.now();
  switch (kind) {
    case 'run':
      return;
    case 'mail':
      // For an email in `sending`, the time is the deadline of the running attempt, so leave it.
      await ctx.db.query
        .update(mails)
        .set({ nextTryAt: now })
        .where(and(inArray(mails.id, [...ids]), eq(mails.status, 'waiting'), gt(mails.nextTryAt, now)));
      return;
    case 'webhook-delivery':
      await ctx.db.query
        .update(webhookDeliveries)
        .set({ nextAttemptAt: now })
        .where(
          and(
            inArray(webhookDeliveries.id, [...ids]),
            eq(webhookDeliveries.status, 'pending'),
            gt(webhookDeliveries.nextAttemptAt, now),
          ),
        );
  }
}

interface ListOpenJobIdsInput {
  readonly kinds: readonly JobKind[];
  /** The last id of the previous page; null for the first page. */
  readonly after: string | null;
  readonly limit: number;
}

/** Returns a page of open jobs in id order, so that jobs added meanwhile come last. */
export async function listOpenJobIds(
  { db }: Pick<Ctx, 'db'>,
  { kinds, after, limit }: ListOpenJobIdsInput,
): Promise<readonly string[]> {
  const { jobs } = db.tables;
  const rows = await db.query
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      and(
        inArray(jobs.kind, [...kinds]),
        isNull(jobs.closedAt),
        after === null ? undefined : gt(jobs.id, after),
      ),
    )
    .orderBy(asc(jobs.id))
    .limit(limit);
  return rows.map(({ id }) => id);
}
