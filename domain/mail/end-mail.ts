/** Marks an email as sent or failed, provided that its state has not changed since the caller read it. */
import { and, eq, inArray, isNotNull, lt, or, type SQL } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { isContactMail } from '#db/schema/index-conditions.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { pruneRows } from '../retention.ts';
import { failureLengthMax, keepEndedMailsMs } from './mail-limits.ts';

interface MailEnd {
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
  const { mails } = ctx.db.tables;
  const ended = await ctx.db.query
    .update(mails)
    .set({ status, failure: failure?.slice(0, failureLengthMax) ?? null, endedAt: ctx.clock.now() })
    .where(and(eq(mails.id, mailId), inArray(mails.status, ['waiting', 'sending']), condition))
    .returning({ id: mails.id });
  if (ended.length === 0) return false;
  ctx.db.afterCommit(() => ctx.publisher.signal(mailTopic(mailId)));
  return true;
}

/** The topic signalled when an email has ended. */
export function mailTopic(mailId: string): string {
  return `mail:${mailId}`;
}

export type MailOutcome = 'sent' | 'failed';

/** @returns null while the mail is being delivered; a deleted mail counts as failed */
export async function findMailOutcome(db: Database, mailId: string): Promise<MailOutcome | null> {
  const { mails } = db.tables;
  const [mail] = await db.query.select({ status: mails.status }).from(mails).where(eq(mails.id, mailId));
  switch (mail?.status) {
    case 'sent':
      return 'sent';
    case 'waiting':
    case 'sending':
      return null;
    case 'failed':
    case undefined:
      return 'failed';
  }
}

/**
 * Stops waiting for an email. From then on it counts as failed, whatever the transport still reports.
 * @returns the outcome; the mail may have ended just before
 */
export async function giveUpMail(ctx: Ctx, { mailId }: { readonly mailId: string }): Promise<MailOutcome> {
  return withTransaction(ctx, async (inner) => {
    const failure = 'The request that waited for it timed out.';
    if (await endMail(inner, { mailId, status: 'failed', failure })) return 'failed';
    return (await findMailOutcome(inner.db, mailId)) ?? 'failed';
  });
}

/**
 * Deletes emails that ended a day ago, with their texts and addresses, and contact messages that are a day old, whose
 * network is personal data.
 */
export function pruneMails(ctx: Ctx): Promise<number> {
  return pruneRows(ctx, ({ mails }, before) => ({
    table: mails,
    id: mails.id,
    isOld: or(
      and(isNotNull(mails.endedAt), lt(mails.endedAt, before(keepEndedMailsMs))),
      and(isContactMail(mails), lt(mails.createdAt, before(keepEndedMailsMs))),
    ),
  }));
}
