/** A mail has come in, over SMTP or as a signed delivery; it is kept once. */
import { createHash } from 'node:crypto';
import { createId } from '#runtime/create-id.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { emailBytesMax, emailHeaderLengthMax, recipientsLengthMax } from './inbox-limits.ts';
import { sanitizeLine } from './sanitize-text.ts';
import { parseEmail } from './parse-email.ts';

export interface ReceiveEmailInput {
  /** The mail as it came (RFC 5322). */
  readonly raw: Uint8Array;
  /** What SMTP was told, for mails that do not say it themselves; empty otherwise. */
  readonly envelope?: { readonly sender: string; readonly recipients: readonly string[] };
}

/**
 * Keeps the mail, with its attachments listed and not kept. Of mails with one Message-ID the first is kept; where there is no
 * Message-ID, of mails that are the same to the byte.
 * @returns whether it was new
 * @throws DomainError invalid_body for no mail at all, body_too_large for more than 10 MiB
 */
export async function receiveEmail(ctx: Ctx, { raw, envelope }: ReceiveEmailInput): Promise<boolean> {
  if (raw.byteLength === 0) {
    throw new DomainError('invalid_body', 'The body is empty; it must be the whole mail (RFC 5322).');
  }
  if (raw.byteLength > emailBytesMax) {
    throw new DomainError('body_too_large', `A mail must be at most ${emailBytesMax} bytes long.`);
  }
  const email = await parseEmail(raw);
  crashPoint('email.parsed');
  return withTransaction(ctx, async ({ db, clock }) => {
    const { inboxEmails } = db.tables;
    const now = clock.now();
    const kept = await db.query
      .insert(inboxEmails)
      .values({
        id: createId(now),
        identity: email.messageId === null ? hash('mail', raw) : hash('message-id', email.messageId),
        messageId: email.messageId,
        sender: email.sender || sanitizeLine(envelope?.sender ?? '', emailHeaderLengthMax),
        recipients:
          email.recipients || sanitizeLine((envelope?.recipients ?? []).join(', '), recipientsLengthMax),
        subject: email.subject,
        text: email.text,
        attachments: email.attachments,
        status: 'new',
        receivedAt: now,
        updatedAt: now,
      })
      .onConflictDoNothing({ target: inboxEmails.identity })
      .returning({ id: inboxEmails.id });
    crashPoint('email.written');
    return kept.length === 1;
  });
}

/** Of one length whatever is hashed, so that an index can hold it. */
function hash(kind: 'mail' | 'message-id', content: string | Uint8Array): string {
  return createHash('sha256').update(`${kind}:`).update(content).digest('hex');
}
