/** Claims an email so that only one worker hands it to the transport. */
import { and, eq } from 'drizzle-orm';
import { lockRows } from '#db/transaction.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { closeJobs } from '../jobs/enqueue.ts';
import { postponeJob } from '../jobs/reannounce-open-jobs.ts';
import { endMail } from './end-mail.ts';
import { failureLengthMax, mailPolicies, pauseAfterTryMs, tryMarginMs } from './mail-limits.ts';

export type MailRow = Tables['mails']['$inferSelect'];

/** An email that a worker is to pass on. */
export interface MailJob {
  readonly mailId: string;
  /** The row in `jobs` that the worker is processing. */
  readonly jobId: string;
}

type MailClaim =
  /** The mail has ended and the job is closed. */
  | { readonly state: 'ended' }
  /** Another worker is sending it, or the next attempt is not due yet. */
  | { readonly state: 'later'; readonly at: Date }
  | { readonly state: 'claimed'; readonly mail: MailRow; readonly timeoutMs: number };

export async function claimMail(ctx: Ctx, { mailId, jobId }: MailJob): Promise<MailClaim> {
  return withTransaction(ctx, async (inner) => {
    const { mails } = inner.db.tables;
    const [mail] = await lockRows(inner.db, inner.db.query.select().from(mails).where(eq(mails.id, mailId)));
    const now = inner.clock.now();
    if (mail === undefined || mail.endedAt !== null) return closed(inner, jobId);
    // The first attempt is due immediately, even if the sender's clock was ahead.
    if (mail.nextTryAt > now && mail.attempt > 0) return { state: 'later', at: mail.nextTryAt };
    const policy = mailPolicies[mail.kind];
    const leftMs = mail.giveUpAt.getTime() - now.getTime();
    const isSpent = mail.attempt >= policy.triesMax;
    if (isSpent || leftMs <= 0) {
      const failure = isSpent
        ? 'The worker stopped before the transport responded.'
        : 'The deadline passed before an attempt could be made.';
      await endMail(inner, { mailId, status: 'failed', failure });
      return closed(inner, jobId);
    }
    const timeoutMs = Math.min(policy.tryTimeoutMs, leftMs);
    const attempt = mail.attempt + 1;
    // At least the pause after a try: workers that die one after the other would otherwise soon use up the attempts.
    const pauseMs = Math.max(timeoutMs + tryMarginMs, pauseAfterTryMs(attempt));
    const nextTryAt = new Date(now.getTime() + pauseMs);
    const claim = { status: 'sending', attempt, nextTryAt } as const;
    await inner.db.query.update(mails).set(claim).where(eq(mails.id, mailId));
    await postponeJob(inner, jobId, nextTryAt);
    return { state: 'claimed', mail: { ...mail, ...claim }, timeoutMs };
  });
}

export async function findMail({ db }: Ctx, mailId: string): Promise<MailRow | null> {
  const { mails } = db.tables;
  const [mail] = await db.query.select().from(mails).where(eq(mails.id, mailId));
  return mail ?? null;
}

async function closed(ctx: TransactionCtx, jobId: string): Promise<MailClaim> {
  await closeJobs(ctx, [jobId]);
  return { state: 'ended' };
}

export type TransportReply =
  | { readonly kind: 'taken' }
  | {
      readonly kind: 'refused';
      /** True if the transport would refuse the same email again. */
      readonly permanent: boolean;
      /** The error message, for the operator. */
      readonly said: string;
    };

interface SettleMailInput {
  /** As returned by `claimMail`. */
  readonly mail: MailRow;
  readonly jobId: string;
  readonly answer: TransportReply;
}

type MailSettlement =
  | { readonly state: 'sent' | 'failed' }
  | { readonly state: 'again'; readonly at: Date }
  /**
   * The mail had ended or been claimed by another worker before the transport replied; nothing was changed.
   */
  | { readonly state: 'too late' };

/** Records the transport's reply to a delivery attempt. */
export async function settleMail(ctx: Ctx, input: SettleMailInput): Promise<MailSettlement> {
  return withTransaction(ctx, async (inner) => {
    const { mail, jobId, answer } = input;
    const settlement = await settle(inner, mail, answer);
    if (settlement.state === 'again') await postponeJob(inner, jobId, settlement.at);
    else if (settlement.state !== 'too late') await closeJobs(inner, [jobId]);
    return settlement;
  });
}

async function settle(ctx: TransactionCtx, mail: MailRow, answer: TransportReply): Promise<MailSettlement> {
  const { mails } = ctx.db.tables;
  const isMine = eq(mails.attempt, mail.attempt);
  if (answer.kind === 'taken') {
    const sent = await endMail(ctx, { mailId: mail.id, status: 'sent', failure: null }, isMine);
    return { state: sent ? 'sent' : 'too late' };
  }
  const at = new Date(ctx.clock.now().getTime() + pauseAfterTryMs(mail.attempt));
  const isLast = answer.permanent || mail.attempt >= mailPolicies[mail.kind].triesMax || at >= mail.giveUpAt;
  if (isLast) {
    const end = { mailId: mail.id, status: 'failed', failure: answer.said } as const;
    return { state: (await endMail(ctx, end, isMine)) ? 'failed' : 'too late' };
  }
  const waiting = await ctx.db.query
    .update(mails)
    .set({ status: 'waiting', nextTryAt: at, failure: answer.said.slice(0, failureLengthMax) })
    .where(and(eq(mails.id, mail.id), eq(mails.status, 'sending'), isMine))
    .returning({ id: mails.id });
  return waiting.length === 1 ? { state: 'again', at } : { state: 'too late' };
}
