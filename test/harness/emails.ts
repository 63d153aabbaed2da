/** Puts emails into the inbox. */
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { Ctx } from '#domain/context.ts';
import { receiveEmail } from '#domain/inbox/receive-email.ts';

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
  const { inboxEmails } = ctx.db.tables;
  const [email] = await ctx.db.query
    .select({ id: inboxEmails.id })
    .from(inboxEmails)
    .where(eq(inboxEmails.messageId, messageId));
  if (email === undefined) throw new Error('The mail that came in is not in the inbox.');
  return email.id;
}
