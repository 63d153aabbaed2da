import { eq } from 'drizzle-orm';
import type { InboxStatus } from '#db/schema/mail-tables.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { emailNotFound } from './show-email.ts';
import type { EmailRow } from './list-emails.ts';

export interface SetEmailStatusInput {
  readonly emailId: string;
  readonly status: InboxStatus;
}

/**
 * Sets the status of an email. Any status may follow any other.
 * @throws DomainError email_not_found
 */
export async function setEmailStatus(ctx: Ctx, { emailId, status }: SetEmailStatusInput): Promise<EmailRow> {
  return withTransaction(ctx, async ({ db, clock }) => {
    const { inboxEmails } = db.tables;
    const [email] = await db.query
      .update(inboxEmails)
      .set({ status, updatedAt: clock.now() })
      .where(eq(inboxEmails.id, emailId))
      .returning();
    if (email !== undefined) return email;
    throw emailNotFound();
  });
}
