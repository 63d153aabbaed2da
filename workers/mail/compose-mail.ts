/** Makes a message of a stored mail. Addresses are given apart from names, so that no text is ever read as an address. */
import type { SendMailOptions } from 'nodemailer';
import { invariant } from '#domain/errors.ts';
import type { MailRow } from '#domain/mail/claim-mail.ts';
import { parseMailbox } from '#domain/mail/mailbox.ts';
import type { MailAddresses } from './mail-addresses.ts';

export function composeMail(mail: MailRow, { from, operator }: MailAddresses): SendMailOptions {
  const to = mail.recipient === null ? operator : parseMailbox(mail.recipient);
  invariant(to !== null, 'A stored mail goes to one address.');
  return {
    from: { ...from },
    to: { ...to },
    envelope: { from: from.address, to: [to.address] },
    ...(mail.replyTo === null ? {} : { replyTo: { name: '', address: mail.replyTo } }),
    subject: mail.subject,
    text: mail.text,
    // The same for every try, so that mailboxes know a repeat.
    messageId: `<${mail.id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    date: mail.createdAt,
    // RFC 3834: keeps absence notes from answering.
    headers: { 'Auto-Submitted': 'auto-generated' },
    textEncoding: 'quoted-printable',
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
