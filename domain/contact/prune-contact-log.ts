/** Deletes the record of which network wrote when after a day. The sweeper calls this. */
import { inArray, lt } from 'drizzle-orm';
import { type Ctx, withTransaction } from '../context.ts';
import { contactLogPrunedAtOnceMax, keepContactLogMs } from './contact-limits.ts';

/** @returns the number of rows deleted, at most 1,000 per call */
export async function pruneContactLog(ctx: Ctx): Promise<number> {
  return withTransaction(ctx, async ({ db, clock }) => {
    const { contactLog } = db.tables;
    const old = db.query
      .select({ mailId: contactLog.mailId })
      .from(contactLog)
      .where(lt(contactLog.createdAt, new Date(clock.now().getTime() - keepContactLogMs)))
      .limit(contactLogPrunedAtOnceMax);
    const removed = await db.query
      .delete(contactLog)
      .where(inArray(contactLog.mailId, old))
      .returning({ mailId: contactLog.mailId });
    return removed.length;
  });
}
