/** Hands mail to the SMTP server of `SMTP_URL`, over a new connection for each, with certificates checked. */
import nodemailer from 'nodemailer';
import type { TransportReply } from '#domain/mail/settle-mail.ts';
import { isLoopbackAddress } from '#runtime/inbound-http/client-address.ts';
import { composeMail } from './compose-mail.ts';
import type { MailAddresses } from './mail-addresses.ts';
import type { MailTransport } from './mail-transport.ts';

/** What nodemailer tells of a failure. */
interface SmtpFault {
  readonly code?: unknown;
  readonly responseCode?: unknown;
  readonly message: string;
}

/** No step takes longer than a whole try may, which its signal ends. */
const stepTimeoutMs = 30_000;

export function createSmtpTransport(smtpUrl: string, addresses: MailAddresses): MailTransport {
  const transporter = nodemailer.createTransport({
    url: smtpUrl,
    requireTLS: mustHideLogin(smtpUrl),
    connectionTimeout: stepTimeoutMs,
    greetingTimeout: stepTimeoutMs,
    socketTimeout: stepTimeoutMs,
    dnsTimeout: stepTimeoutMs,
  });
  return {
    deliver: async (mail, signal) => {
      try {
        await transporter.sendMail({ ...composeMail(mail, addresses), signal });
        return { kind: 'taken' };
      } catch (error) {
        return refusalOf(error, signal);
      }
    },
  };
}

/** A password goes over the network encrypted or not at all; `?requireTLS=false` in the URL says otherwise. */
function mustHideLogin(smtpUrl: string): boolean {
  const { username, hostname } = new URL(smtpUrl);
  return username !== '' && hostname !== 'localhost' && !isLoopbackAddress(hostname.replace(/^\[|\]$/g, ''));
}

function refusalOf(error: unknown, signal: AbortSignal): TransportReply {
  if (signal.aborted) {
    return { kind: 'refused', permanent: false, said: 'The mail server did not answer in time.' };
  }
  const fault: SmtpFault = error instanceof Error ? error : { message: String(error) };
  return { kind: 'refused', permanent: isPermanent(fault), said: fault.message };
}

/**
 * RFC 5321 section 4.2.1: 5yz replies to the envelope or the message will be given again. A refused login or certificate
 * is the operator's to mend, so that the mail waits for it. 503 speaks of the session and not of the mail.
 */
function isPermanent({ code, responseCode }: SmtpFault): boolean {
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  const isFinal = typeof responseCode === 'number' && responseCode >= 500 && responseCode !== 503;
  return isAboutMail && isFinal;
}
