/** Postpones a job in the transaction that decided to retry it later. */
import { and, eq, isNull } from 'drizzle-orm';
import type { TransactionCtx } from '../context.ts';
import { announcedOldAfterMs } from './reannounce-open-jobs.ts';

/**
 * The caller also returns the job to the queue with a delay (`RunLater`). `publishedAt` is set so that the
 * pump first checks the job when it is due: a job that waits for hours costs nothing, and a queue that lost
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
