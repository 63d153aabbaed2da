/** Promises one mail in the caller's transaction. */
import type { TransactionCtx } from '../context.ts';
import { invariant } from '../errors.ts';
import { type SendMailInput, sendMails } from './send-mails.ts';

/**
 * Stores the mail and enqueues its delivery, in the transaction of `ctx`; delivery is at least once for a `notice` and at
 * most once for a `contact`, and each mail keeps one Message-ID, by which mailboxes know a repeat. To mail somebody from
 * another verb, call it with that verb's `inner` context:
 *
 *     await sendMail(inner, { kind: 'notice', to: null, replyTo: null, subject: 'A seat was booked', text });
 *
 * @returns the id of the mail
 * @throws InvariantError for an address or a subject that could be more than what it is to be: the caller checks what
 * comes from outside
 */
export async function sendMail(ctx: TransactionCtx, input: SendMailInput): Promise<string> {
  const [id] = await sendMails(ctx, [input]);
  invariant(id !== undefined, 'A mail that was stored has an id.');
  return id;
}
