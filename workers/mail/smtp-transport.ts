/**
 * Sends mail to the server of `SMTP_URL`, over a new connection each time and with certificates verified.
 */
import nodemailer from 'nodemailer';
import type { TransportReply } from '#domain/mail/claim-mail.ts';
import { isLoopbackAddress } from '#runtime/inbound-http/client-address.ts';
import { composeMail } from './compose-mail.ts';
import type { MailAddresses } from './mail-addresses.ts';
import type { MailTransport } from './deliver-mail.ts';

/** The fields of a nodemailer error. */
interface SmtpFault {
  readonly code?: unknown;
  readonly responseCode?: unknown;
  readonly message: string;
}

/** Bounds one step of the protocol; the signal bounds the whole attempt. */
const stepTimeoutMs = 30_000;

export function createSmtpTransport(smtpUrl: string, addresses: MailAddresses): MailTransport {
  const transporter = connectTo(smtpUrl, stepTimeoutMs);
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

function connectTo(smtpUrl: string, timeoutMs: number) {
  return nodemailer.createTransport({
    url: smtpUrl,
    requireTLS: mustHideLogin(smtpUrl),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
  });
}

/**
 * Connects and logs in, without sending anything.
 * @returns why that failed; null if it did not
 */
export async function faultOfSmtpServer(smtpUrl: string, timeoutMs: number): Promise<string | null> {
  try {
    await connectTo(smtpUrl, timeoutMs).verify();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Passwords are only sent over TLS, unless the URL says `?requireTLS=false`. */
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
 * RFC 5321 section 4.2.1: a 5yz reply to the envelope or the message will not change. A rejected login or
 * certificate is for the operator to fix, so the mail waits. 503 is about the session, not the mail.
 */
function isPermanent({ code, responseCode }: SmtpFault): boolean {
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  const isFinal = typeof responseCode === 'number' && responseCode >= 500 && responseCode !== 503;
  return isAboutMail && isFinal;
}
