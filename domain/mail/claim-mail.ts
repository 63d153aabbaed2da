/** Claims an email so that only one worker hands it to the transport. */
import { eq } from 'drizzle-orm';
import { lockRows } from '#db/locks.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { closeJobs } from '../jobs/close-jobs.ts';
import { endMail } from './end-mail.ts';
import { mailPolicies, tryMarginMs } from './mail-limits.ts';

export type MailRow = Tables['mails']['$inferSelect'];

export interface ClaimMailInput {
  readonly mailId: string;
  /** The row in `jobs` that the worker is processing. */
  readonly jobId: string;
}

export type MailClaim =
  /** The mail has ended and the job is closed. */
  | { readonly state: 'ended' }
  /** Another worker is sending it, or the next attempt is not due yet. */
  | { readonly state: 'later'; readonly at: Date }
  | { readonly state: 'claimed'; readonly mail: MailRow; readonly timeoutMs: number };

export async function claimMail(ctx: Ctx, { mailId, jobId }: ClaimMailInput): Promise<MailClaim> {
  return withTransaction(ctx, async (inner) => {
    const { mails } = inner.db.tables;
    const [mail] = await lockRows(inner.db, inner.db.query.select().from(mails).where(eq(mails.id, mailId)));
    const now = inner.clock.now();
    if (mail === undefined || mail.endedAt !== null) return closed(inner, jobId);
    // The first attempt is due at once, even if the sender's clock was ahead.
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
    const claim = {
      status: 'sending',
      attempt: mail.attempt + 1,
      nextTryAt: new Date(now.getTime() + timeoutMs + tryMarginMs),
    } as const;
    await inner.db.query.update(mails).set(claim).where(eq(mails.id, mailId));
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
