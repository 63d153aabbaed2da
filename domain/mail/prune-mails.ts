/** Deletes emails that have ended, including their texts and addresses. The sweeper calls this. */
import { and, inArray, isNotNull, lt } from 'drizzle-orm';
import { type Ctx, withTransaction } from '../context.ts';
import { keepEndedMailsMs, mailsPrunedAtOnceMax } from './mail-limits.ts';

/** @returns the number of rows deleted, at most 1,000 per call */
export async function pruneMails(ctx: Ctx): Promise<number> {
  return withTransaction(ctx, async ({ db, clock }) => {
    const { mails } = db.tables;
    const old = db.query
      .select({ id: mails.id })
      .from(mails)
      .where(
        and(isNotNull(mails.endedAt), lt(mails.endedAt, new Date(clock.now().getTime() - keepEndedMailsMs))),
      )
      .limit(mailsPrunedAtOnceMax);
    const removed = await db.query.delete(mails).where(inArray(mails.id, old)).returning({ id: mails.id });
    return removed.length;
  });
}
