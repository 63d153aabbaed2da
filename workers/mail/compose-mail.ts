/**
 * Builds the message for a stored mail. Addresses are passed apart from names, so that no text is parsed as
 * an address.
 */
import type { SendMailOptions } from 'nodemailer';
import { invariant } from '#domain/errors.ts';
import type { MailRow } from '#domain/mail/claim-mail.ts';
import { parseMailbox } from '#domain/mail/mailbox.ts';
import type { MailAddresses } from './mail-addresses.ts';

export type MailContent = Pick<MailRow, 'id' | 'recipient' | 'replyTo' | 'subject' | 'text' | 'createdAt'>;

export function composeMail(mail: MailContent, { from, operator }: MailAddresses): SendMailOptions {
  const to = mail.recipient === null ? operator : parseMailbox(mail.recipient);
  invariant(to !== null, 'A stored mail has exactly one recipient.');
  return {
    from: { ...from },
    to: { ...to },
    envelope: { from: from.address, to: [to.address] },
    ...(mail.replyTo === null ? {} : { replyTo: { name: '', address: mail.replyTo } }),
    subject: mail.subject,
    text: mail.text,
    // The same on every attempt, so that mailboxes recognise a duplicate.
    messageId: `<${mail.id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    date: mail.createdAt,
    // RFC 3834: stops vacation responders from replying.
    headers: { 'Auto-Submitted': 'auto-generated' },
    textEncoding: 'quoted-printable',
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
