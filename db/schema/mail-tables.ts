/** Mail that leaves the hub, mail that came in, and the signed deliveries of others that were taken once. */
import { sql } from 'drizzle-orm';
import type { ColumnKit } from './column-kit.ts';

/** Decides how often and for how long delivery is tried; see `domain/mail/mail-limits.ts`. */
export type MailKind = 'contact' | 'notice';
/** `sent` says that the transport took it; `failed` that it was refused, or that nobody waits for it any more. */
export type MailStatus = 'waiting' | 'sending' | 'sent' | 'failed';
export type InboxStatus = 'new' | 'triaged' | 'archived';

/** A file that came with a mail: named, and not kept. */
export interface ListedAttachment {
  filename: string | null;
  content_type: string;
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
      /** Raised by every claim; what comes of a try must name the one it belongs to (the fence). */
      attempt: kit.integer('attempt').notNull(),
      /** Until when the present try is believed alive, or when the next one is due. */
      nextTryAt: kit.instant('next_try_at').notNull(),
      /** No try begins from here on. */
      giveUpAt: kit.instant('give_up_at').notNull(),
      /** What the transport said to the last try, for the operator. */
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

  /** Contact messages that were sent or are under way, for the limit; one that failed is taken out again. */
  const contactLog = kit.table(
    'contact_log',
    {
      mailId: kit.id('mail_id').primaryKey(),
      /** HMAC-SHA-256 of the client's network; the address itself is kept nowhere. */
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
      /** What makes two mails the same: a hash of the Message-ID, or of the whole mail where there is none. */
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
      /** The sender's name for the delivery, which its repeats have too. */
      webhookId: kit.text('webhook_id').primaryKey(),
      kind: kit.text('kind'),
      receivedAt: kit.instant('received_at').notNull(),
    },
    (t) => [kit.index('webhook_receipts_by_age').on(t.receivedAt)],
  );

  return { mails, contactLog, inboxEmails, webhookReceipts };
}
