/**
 * An operator has open jobs tried now instead of when they are due, such as after mending the mail server. What has ended
 * stays ended: a failed eval run has been refunded, and running it again would be for nothing.
 */
import { and, eq, gt, inArray, isNull } from 'drizzle-orm';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { type JobRow, subjectIdOf, isJobKind, type JobKind, noticesOf } from './job-kinds.ts';

/** How many at once; each is one row more in a few statements. */
export const retriedAtOnceMax = 500;

/**
 * Makes the jobs due and announces them. A queue that knows one as delayed has to be told separately, as announcing it
 * again changes nothing there. Who is at one just now is left alone.
 * @param ids at most `retriedAtOnceMax`
 * @returns the jobs that are open and due now; those that have ended are left out
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

/** When a mail or a delivery is tried next stands in its own row too, and its worker goes by that. */
async function makeDue(ctx: TransactionCtx, kind: JobKind, ids: readonly string[]): Promise<void> {
  const { mails, webhookDeliveries } = ctx.db.tables;
  const now = ctx.clock.now();
  switch (kind) {
    case 'eval-run':
      return;
    case 'mail':
      // While it is `sending`, the time says until when that try is believed alive.
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
