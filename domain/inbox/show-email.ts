import { DomainError } from '../errors.ts';
import { eq } from 'drizzle-orm';
import type { Ctx } from '../context.ts';
import type { EmailRow } from './list-emails.ts';

/** @throws DomainError email_not_found */
export async function showEmail(ctx: Ctx, { emailId }: { readonly emailId: string }): Promise<EmailRow> {
  const { inboxEmails } = ctx.db.tables;
  const [email] = await ctx.db.query.select().from(inboxEmails).where(eq(inboxEmails.id, emailId));
  if (email === undefined) throw emailNotFound();
  return email;
}

export function emailNotFound(): DomainError {
  return new DomainError('email_not_found', 'There is no email with this id in the inbox.', {
    hint: 'GET /v1/inbox lists the emails.',
  });
}
