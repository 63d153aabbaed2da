/** Stops waiting for an email. From then on it counts as failed, whatever the transport still reports. */
import { type Ctx, withTransaction } from '../context.ts';
import { endMail } from './end-mail.ts';
import { type MailOutcome, findMailOutcome } from './find-mail-outcome.ts';

/** @returns the outcome; the mail may have ended just before */
export async function giveUpMail(ctx: Ctx, { mailId }: { readonly mailId: string }): Promise<MailOutcome> {
  return withTransaction(ctx, async (inner) => {
    const failure = 'The request that waited for it timed out.';
    if (await endMail(inner, { mailId, status: 'failed', failure })) return 'failed';
    return (await findMailOutcome(inner.db, mailId)) ?? 'failed';
  });
}
