/** Records the transport's reply to a delivery attempt. */
import { and, eq } from 'drizzle-orm';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { closeJobs } from '../jobs/close-jobs.ts';
import type { MailRow } from './claim-mail.ts';
import { endMail } from './end-mail.ts';
import { failureLengthMax, mailPolicies, pauseAfterTryMs } from './mail-limits.ts';

export type TransportReply =
  | { readonly kind: 'taken' }
  | {
      readonly kind: 'refused';
      /** True if the transport would refuse the same email again. */
      readonly permanent: boolean;
      /** The error message, for the operator. */
      readonly said: string;
    };

export interface SettleMailInput {
  /** As returned by `claimMail`. */
  readonly mail: MailRow;
  readonly jobId: string;
  readonly answer: TransportReply;
}

export type MailSettlement =
  | { readonly state: 'sent' | 'failed' }
  | { readonly state: 'again'; readonly at: Date }
  /**
   * The mail had ended or been claimed by another worker before the transport replied; nothing was changed.
   */
  | { readonly state: 'too late' };

export async function settleMail(ctx: Ctx, input: SettleMailInput): Promise<MailSettlement> {
  return withTransaction(ctx, async (inner) => {
    const { mail, jobId, answer } = input;
    const settlement = await settle(inner, mail, answer);
    if (settlement.state === 'sent' || settlement.state === 'failed') await closeJobs(inner, [jobId]);
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
