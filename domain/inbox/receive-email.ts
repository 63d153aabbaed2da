/** Stores an incoming email, received over SMTP or as a signed webhook, once. */
import { and, eq, lt } from 'drizzle-orm';
import { createHash } from 'node:crypto';
import { createId } from '#runtime/create-id.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { pruneAfter, type RetentionInput } from '../retention.ts';
import { emailBytesMax, emailHeaderLengthMax, recipientsLengthMax } from './inbox-limits.ts';

interface ReceiveEmailInput {
  /** The email as received (RFC 5322). */
  readonly raw: Uint8Array;
  /** The SMTP envelope, used when the headers name no sender or recipient. */
  readonly envelope?: { readonly sender: string; readonly recipients: readonly string[] };
}

/**
 * Stores the email; attachments are listed but not stored. Of emails with the same Message-ID only the first
 * is stored. Without a Message-ID, identical bytes count as the same email.
 * @returns true if the email was new
 * @throws DomainError invalid_body if the body is empty, body_too_large for more than 10 MiB
 */
export async function receiveEmail(ctx: Ctx, { raw, envelope }: ReceiveEmailInput): Promise<boolean> {
  if (raw.byteLength === 0) {
    throw new DomainError('invalid_body', 'The body is empty. It must be the complete email (RFC 5322).');
  }
  if (raw.byteLength > emailBytesMax) {
    throw new DomainError('body_too_large', `An email must be at most ${emailBytesMax} bytes long.`);
  }
  // The parsers are loaded when the first email arrives.
  const { parseEmail, sanitizeLine } = await import('./parse-email.ts');
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

/** A hash has a fixed length, so that it can be indexed. */
function hash(kind: 'mail' | 'message-id', content: string | Uint8Array): string {
  return createHash('sha256').update(`${kind}:`).update(content).digest('hex');
}

/** Deletes received emails that were archived long ago. */
export function pruneEmails(ctx: Ctx, input: RetentionInput): Promise<number> {
  return pruneAfter(ctx, input, ({ inboxEmails }, before) => ({
    table: inboxEmails,
    id: inboxEmails.id,
    order: inboxEmails.id,
    // Archiving an email sets `updated_at`.
    isOld: and(eq(inboxEmails.status, 'archived'), lt(inboxEmails.updatedAt, before)),
  }));
}
