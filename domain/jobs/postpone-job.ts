/** Puts a job off, in the transaction that found out that it must wait. */
import { and, eq, isNull } from 'drizzle-orm';
import type { TransactionCtx } from '../context.ts';
import { announcedOldAfterMs } from './reannounce-open-jobs.ts';

/**
 * Whoever postpones a job also hands it back to the queue with its delay (`RunLater`). The row counts as announced so
 * late that the pump asks after it when it is due: what waits for hours costs it nothing, and a queue that has
 * forgotten it is told in time.
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
