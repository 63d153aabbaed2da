/** Forgets which network has written when, a day later (interface.md, behaviour note 6); the sweeper calls it. */
import { inArray, lt } from 'drizzle-orm';
import { type Ctx, withTransaction } from '../context.ts';
import { contactLogPrunedAtOnceMax, keepContactLogMs } from './contact-limits.ts';

/** @returns how many entries were removed, at most 1,000 a call */
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
