/** Outgoing and received mail. */
import { isNotNull } from 'drizzle-orm';
import type { ColumnKit } from './column-kit.ts';
import { isContactMail } from './index-conditions.ts';

/** Decides how often and for how long delivery is retried; see `domain/mail/mail-limits.ts`. */
export type MailKind = 'contact' | 'notice';
/** `sent`: the transport accepted it. `failed`: it was rejected, or it is out of date. */
export type MailStatus = 'waiting' | 'sending' | 'sent' | 'failed';
export const inboxStatuses = ['new', 'triaged', 'archived'] as const;
export type InboxStatus = (typeof inboxStatuses)[number];

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
      /**
       * Of contact messages, for their limit: HMAC-SHA-256 of the client's network. The address itself is not stored.
       * Null for other mail.
       */
      networkHash: kit.text('network_hash'),
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
      kit.index('mails_ended').on(t.endedAt).where(isNotNull(t.endedAt)),
      kit.index('mails_by_network').on(t.networkHash, t.createdAt).where(isContactMail(t)),
      kit.index('contact_mails_by_age').on(t.createdAt).where(isContactMail(t)),
    ],
  );

  const inboxEmails = kit.table(
    'inbox_emails',
    {
      id: kit.id('id').primaryKey(),
      /**
       * Identifies an email: a hash of the Message-ID, or of the whole email if it has none. The id of what is not an email
       * but a visitor's interest in supporting the hub.
       */
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
      /** The network of a visitor who expressed interest in supporting the hub, for a day, as with contact messages. */
      networkHash: kit.text('network_hash'),
    },
    (t) => [
      kit.index('inbox_emails_by_status').on(t.status, t.id),
      kit.index('inbox_emails_by_sender').on(t.sender),
      kit.index('inbox_emails_by_network').on(t.networkHash, t.receivedAt).where(isContactMail(t)),
    ],
  );

  return { mails, inboxEmails };
}
