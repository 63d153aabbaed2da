/** Outgoing mail, received mail, and the signed webhook deliveries that were accepted. */
import { sql } from 'drizzle-orm';
import type { ColumnKit } from './column-kit.ts';

/** Decides how often and for how long delivery is retried; see `domain/mail/mail-limits.ts`. */
export type MailKind = 'contact' | 'notice';
/** `sent`: the transport accepted it. `failed`: it was rejected, or it is out of date. */
export type MailStatus = 'waiting' | 'sending' | 'sent' | 'failed';
export type InboxStatus = 'new' | 'triaged' | 'archived';

/** An attachment of a received mail. Only its description is kept. */
export interface ListedAttachment {
  filename: string | null;
  contentType: string;
  /** In bytes, decoded. */
  size: number;
}

export function makeMailTables(kit: ColumnKit) {
  const mails = kit.table(
    'mails',
    {
      id: kit.id('id').primaryKey(),
      kind: kit.text('kind').$type<MailKind>().notNull(),
      status: kit.text('status').$type<MailStatus>().notNull(),
      /** Null for the operator, whose address the mail pool knows. */
      recipient: kit.text('recipient'),
      replyTo: kit.text('reply_to'),
      subject: kit.text('subject').notNull(),
      text: kit.text('text').notNull(),
      /** Every claim raises it. An outcome must name the attempt it belongs to (the fence). */
      attempt: kit.integer('attempt').notNull(),
      /** When the current attempt counts as dead, or when the next one is due. */
      nextTryAt: kit.instant('next_try_at').notNull(),
      /** No attempt starts after this time. */
      giveUpAt: kit.instant('give_up_at').notNull(),
      /** The transport's reply to the last attempt, for the operator. */
      failure: kit.text('failure'),
      createdAt: kit.instant('created_at').notNull(),
      endedAt: kit.instant('ended_at'),
    },
    (t) => [
      kit
        .index('mails_ended')
        .on(t.endedAt)
        .where(sql`${t.endedAt} is not null`),
    ],
  );

  /** Contact messages that were sent or are on their way, for the limit. A failed one is removed. */
  const contactLog = kit.table(
    'contact_log',
    {
      mailId: kit.id('mail_id').primaryKey(),
      /** HMAC-SHA-256 of the client's network. The address itself is not stored. */
      networkHash: kit.text('network_hash').notNull(),
      createdAt: kit.instant('created_at').notNull(),
    },
    (t) => [
      kit.index('contact_log_by_network').on(t.networkHash, t.createdAt),
      kit.index('contact_log_by_age').on(t.createdAt),
    ],
  );

  const inboxEmails = kit.table(
    'inbox_emails',
    {
      id: kit.id('id').primaryKey(),
      /** Identifies an email: a hash of the Message-ID, or of the whole email if it has none. */
      identity: kit.text('identity').notNull().unique('inbox_emails_identity_unique'),
      messageId: kit.text('message_id'),
      sender: kit.text('sender').notNull(),
      recipients: kit.text('recipients').notNull(),
      subject: kit.text('subject').notNull(),
      text: kit.text('text').notNull(),
      attachments: kit.json<readonly ListedAttachment[]>('attachments').notNull(),
      status: kit.text('status').$type<InboxStatus>().notNull(),
      receivedAt: kit.instant('received_at').notNull(),
      updatedAt: kit.instant('updated_at').notNull(),
    },
    (t) => [kit.index('inbox_emails_by_status').on(t.status, t.id)],
  );

  const webhookReceipts = kit.table(
    'webhook_receipts',
    {
      /** The sender's id for the delivery. Repeats have the same id. */
      webhookId: kit.text('webhook_id').primaryKey(),
      kind: kit.text('kind'),
      receivedAt: kit.instant('received_at').notNull(),
    },
    (t) => [kit.index('webhook_receipts_by_age').on(t.receivedAt)],
  );

  return { mails, contactLog, inboxEmails, webhookReceipts };
}
