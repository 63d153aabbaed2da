/** Whom mail of the hub is from, and where the operator's own goes. */
import { type Mailbox, parseMailbox } from '#domain/mail/mailbox.ts';
import { invariant } from '#domain/errors.ts';
import type { Settings } from '#runtime/settings/settings.ts';

export interface MailAddresses {
  readonly from: Mailbox;
  readonly operator: Mailbox;
}

/** What is not set is taken from the other one; where neither is, from the host of the hub. */
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
  invariant(mailbox !== null, 'The settings hold mail addresses only.');
  return mailbox;
}
