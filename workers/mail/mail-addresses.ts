/** The sender of the hub's mail, and the operator's own address. */
import { type Mailbox, parseMailbox } from '#domain/mail/mailbox.ts';
import { invariant } from '#domain/errors.ts';
import type { Settings } from '#runtime/settings/settings.ts';

export interface MailAddresses {
  readonly from: Mailbox;
  readonly operator: Mailbox;
}

/** An address that is not set falls back to the other one, then to one made from the hub's host name. */
export function mailAddressesOf({
  mailFrom,
  contactTo,
  baseUrl,
}: Pick<Settings, 'mailFrom' | 'contactTo' | 'baseUrl'>): MailAddresses {
  const { hostname } = new URL(baseUrl);
  const isName = !/^[\d.]+$|^\[/.test(hostname);
  const fallback = `Agent Hub <agent-hub@${isName ? hostname : 'localhost'}>`;
  return {
    from: read(mailFrom ?? contactTo ?? fallback),
    operator: read(contactTo ?? mailFrom ?? fallback),
  };
}

function read(text: string): Mailbox {
  const mailbox = parseMailbox(text);
  invariant(mailbox !== null, 'Mail addresses in the settings must be valid.');
  return mailbox;
}
