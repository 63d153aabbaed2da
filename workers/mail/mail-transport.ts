/** What hands mail on: an SMTP server, or a folder. */
import type { MailRow } from '#domain/mail/claim-mail.ts';
import type { TransportReply } from '#domain/mail/settle-mail.ts';

export interface MailTransport {
  /**
   * Hands one mail on and says what came of it; never rejects. Once `signal` has fired nothing more is sent and the
   * connection is cut, so that a server that had not taken the mail by then hardly can afterwards.
   */
  deliver(mail: MailRow, signal: AbortSignal): Promise<TransportReply>;
}
