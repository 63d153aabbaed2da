/** Marks jobs as done in the transaction that does their work. */
import { and, inArray, isNull } from 'drizzle-orm';
import type { TransactionCtx } from '../context.ts';

export async function closeJobs(ctx: TransactionCtx, ids: readonly string[]): Promise<void> {
  const { jobs } = ctx.db.tables;
  await ctx.db.query
    .update(jobs)
    .set({ closedAt: ctx.clock.now() })
    .where(and(inArray(jobs.id, [...ids]), isNull(jobs.closedAt)));
}
