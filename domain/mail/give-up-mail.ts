/** Whoever waits for a mail stops waiting: from then on it counts as not sent, whatever the transport still says. */
import { type Ctx, withTransaction } from '../context.ts';
import { endMail } from './end-mail.ts';
import { type MailOutcome, findMailOutcome } from './find-mail-outcome.ts';

/** @returns how it ended, which may have been just before */
export async function giveUpMail(ctx: Ctx, { mailId }: { readonly mailId: string }): Promise<MailOutcome> {
  return withTransaction(ctx, async (inner) => {
    const failure = 'Nobody waited any longer.';
    if (await endMail(inner, { mailId, status: 'failed', failure })) return 'failed';
    return (await findMailOutcome(inner.db, mailId)) ?? 'failed';
  });
}
