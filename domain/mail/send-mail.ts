/** Promises mails in the caller's transaction: they are handed to the mail transport once that has committed. */
import { insertStatement } from '#db/insert-statement.ts';
import type { MailKind } from '#db/schema/mail-tables.ts';
import { createId } from '#runtime/create-id.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import type { TransactionCtx } from '../context.ts';
import { invariant } from '../errors.ts';
import { enqueueAll } from '../jobs/enqueue.ts';
import { mailPolicies, subjectLengthMax, textLengthMax } from './mail-limits.ts';
import { isPlainAddress, parseMailbox } from './mailbox.ts';

export interface SendMailInput {
  /** `notice` for what the hub has to tell somebody: it is tried for three days. */
  readonly kind: MailKind;
  /** `user@example.org` or `Name <user@example.org>`; null for the operator (`CONTACT_TO`). */
  readonly to: string | null;
  /** A plain address; null for none. */
  readonly replyTo: string | null;
  /** One line. */
  readonly subject: string;
  /** Plain text; lines end in a newline. */
  readonly text: string;
}

const insertMails = insertStatement('mails');

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

/**
 * Stores the mails and enqueues their delivery, in two statements however many there are; see `sendMail` for what is
 * promised of each.
 *
 * @returns the ids of the mails, in their order
 * @throws InvariantError for an address or a subject that could be more than what it is to be: the caller checks what
 * comes from outside
 */
export async function sendMails(
  ctx: TransactionCtx,
  inputs: readonly SendMailInput[],
): Promise<readonly string[]> {
  const now = ctx.clock.now();
  const mails = inputs.map((input) => {
    requireSafe(input);
    const { to, ...content } = input;
    return {
      ...content,
      id: createId(now),
      status: 'waiting',
      recipient: to,
      attempt: 0,
      nextTryAt: now,
      giveUpAt: new Date(now.getTime() + mailPolicies[input.kind].giveUpAfterMs),
      createdAt: now,
    } as const;
  });
  await insertMails(ctx.db, mails);
  crashPoint('mails.written');
  await enqueueAll(
    ctx,
    'mail',
    mails.map(({ id }) => ({ mailId: id })),
  );
  return mails.map(({ id }) => id);
}

function requireSafe({ to, replyTo, subject, text }: SendMailInput): void {
  invariant(to === null || parseMailbox(to) !== null, 'A mail goes to one address.');
  invariant(replyTo === null || isPlainAddress(replyTo), 'Replies go to one address.');
  invariant(!/[\p{Cc}\u2028\u2029]/u.test(subject), 'A subject is one line.');
  invariant(Array.from(subject).length <= subjectLengthMax, 'A subject has a bounded length.');
  invariant(Array.from(text).length <= textLengthMax, 'A mail has a bounded length.');
}
