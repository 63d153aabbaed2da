/** Puts emails into the inbox. */
import { randomUUID } from 'node:crypto';
import type { Ctx } from '#domain/context.ts';
import { receiveEmail } from '#domain/inbox/receive-email.ts';
import { rowOf } from './rows.ts';

/** Receives an email with an attachment. @returns its id in the inbox */
export async function receiveTestEmail(ctx: Ctx, subject = 'A subject'): Promise<string> {
  const messageId = `<${randomUUID()}@example.org>`;
  const lines = [
    'From: Ada <ada@example.org>',
    'To: hub@hub.test',
    `Subject: ${subject}`,
    `Message-ID: ${messageId}`,
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'Hello',
    '--b',
    'Content-Type: application/pdf; name=a.pdf',
    'Content-Transfer-Encoding: base64',
    '',
    'SGVsbG8=',
    '--b--',
    '',
  ];
  await receiveEmail(ctx, { raw: Buffer.from(lines.join('\r\n')) });
  return (await rowOf(ctx, 'inboxEmails', { messageId })).id;
}
