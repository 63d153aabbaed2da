/** Enqueues mail in the caller's transaction. A worker hands it to the transport after the commit. */
import { insertStatement } from '#db/prepared.ts';
import type { MailKind } from '#db/schema/mail-tables.ts';
import { createId } from '#runtime/create-id.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import type { TransactionCtx } from '../context.ts';
import { invariant } from '../errors.ts';
import { enqueueAll } from '../jobs/enqueue.ts';
import { mailPolicies, subjectLengthMax, textLengthMax } from './mail-limits.ts';
import { isPlainAddress, parseMailbox } from './mailbox.ts';

export interface SendMailInput {
  /** Use `notice` for notifications from the hub: delivery is retried for three days. */
  readonly kind: MailKind;
  /** `user@example.org` or `Name <user@example.org>`; null for the operator (`CONTACT_TO`). */
  readonly to: string | null;
  /** A plain address; null for none. */
  readonly replyTo: string | null;
  /** One line. */
  readonly subject: string;
  /** Plain text whose lines end in a newline. */
  readonly text: string;
  /** Of a contact message. */
  readonly networkHash?: string;
}

const insertMails = insertStatement('mails');

/**
 * Stores an email and enqueues its delivery in the transaction of `ctx`. A `notice` is delivered at least once,
 * a `contact` at most once. Each email keeps one Message-ID, so mailboxes can detect duplicates. Pass the
 * `inner` context of the calling verb:
 *
 *     await sendMail(inner, { kind: 'notice', to: null, replyTo: null, subject: 'A seat was booked', text });
 *
 * @returns the id of the mail
 * @throws InvariantError for an unsafe address or subject; callers validate outside input first
 */
export async function sendMail(ctx: TransactionCtx, input: SendMailInput): Promise<string> {
  const [id] = await sendMails(ctx, [input]);
  invariant(id !== undefined, 'A stored email has an id.');
  return id;
}

/**
 * Stores several emails and enqueues their delivery in two statements. The guarantees are those of `sendMail`.
 *
 * @returns the ids of the emails, in order
 * @throws InvariantError for an unsafe address or subject; callers validate outside input first
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
  invariant(to === null || parseMailbox(to) !== null, 'An email goes to one address.');
  invariant(replyTo === null || isPlainAddress(replyTo), 'Replies go to one address.');
  invariant(!/[\p{Cc}\u2028\u2029]/u.test(subject), 'A subject is one line.');
  invariant(Array.from(subject).length <= subjectLengthMax, 'A subject has a bounded length.');
  invariant(Array.from(text).length <= textLengthMax, 'The text has a bounded length.');
}
