/** Forgets mails that have ended, with their texts and addresses; the sweeper calls it. */
import { and, inArray, isNotNull, lt } from 'drizzle-orm';
import { type Ctx, withTransaction } from '../context.ts';
import { keepEndedMailsMs, mailsPrunedAtOnceMax } from './mail-limits.ts';

/** @returns how many were removed, at most 1,000 a call */
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
