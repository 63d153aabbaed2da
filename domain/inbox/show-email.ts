/** One mail of the inbox. */
import { eq } from 'drizzle-orm';
import type { Ctx } from '../context.ts';
import { emailNotFound } from './email-not-found.ts';
import type { EmailRow } from './list-emails.ts';

/** @throws DomainError email_not_found */
export async function showEmail(ctx: Ctx, { emailId }: { readonly emailId: string }): Promise<EmailRow> {
  const { inboxEmails } = ctx.db.tables;
  const [email] = await ctx.db.query.select().from(inboxEmails).where(eq(inboxEmails.id, emailId));
  if (email === undefined) throw emailNotFound();
  return email;
}
