/** Replaces the handle of a closed account in mails that it sent or that notify of its bookings. */
import { contactSubject, withoutSender } from '../contact/send-contact-message.ts';
import { withoutHandleInNotice } from '../events/mail-hosts.ts';

interface Mail {
  readonly subject: string;
  readonly text: string;
}

/** @returns null if the mail stays as it is: what others have written stays */
export function withoutHandleInMail(mail: Mail, handle: string): Mail | null {
  if (mail.subject !== contactSubject) return withoutHandleInNotice(mail, handle);
  const text = withoutSender(mail.text, handle);
  return text === null ? null : { ...mail, text };
}
