/** Marks an email as sent or failed, provided that its state has not changed since the caller read it. */
import { and, eq, inArray, type SQL } from 'drizzle-orm';
import type { TransactionCtx } from '../context.ts';
import { failureLengthMax } from './mail-limits.ts';

export interface MailEnd {
  readonly mailId: string;
  readonly status: 'sent' | 'failed';
  /** What the transport said, or why no attempt was made; null when the mail was sent. */
  readonly failure: string | null;
}

/** @returns false if `condition` does not hold or the mail has already ended */
export async function endMail(
  ctx: TransactionCtx,
  { mailId, status, failure }: MailEnd,
  condition?: SQL,
): Promise<boolean> {
  const { mails, contactLog } = ctx.db.tables;
  const ended = await ctx.db.query
    .update(mails)
    .set({ status, failure: failure?.slice(0, failureLengthMax) ?? null, endedAt: ctx.clock.now() })
    .where(and(eq(mails.id, mailId), inArray(mails.status, ['waiting', 'sending']), condition))
    .returning({ id: mails.id });
  if (ended.length === 0) return false;
  // A contact message that was not sent does not count against the rate limit.
  if (status === 'failed') await ctx.db.query.delete(contactLog).where(eq(contactLog.mailId, mailId));
  ctx.db.afterCommit(() => ctx.publisher.signal(mailTopic(mailId)));
  return true;
}

/** The topic signalled when an email has ended. */
export function mailTopic(mailId: string): string {
  return `mail:${mailId}`;
}
