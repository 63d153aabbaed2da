import { and, eq } from 'drizzle-orm';
import type { InboxStatus } from '#db/schema/mail-tables.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { newestFirst, type Page, type PageInput } from '../paging.ts';
import { operation } from '../operation.ts';

export type EmailRow = Tables['inboxEmails']['$inferSelect'];

interface ListEmailsInput extends PageInput {
  /** Only emails with this status; null for all. */
  readonly status: InboxStatus | null;
}

/**
 * Lists the inbox, newest first.
 * @throws DomainError invalid_parameter for a bad cursor
 */
export function listEmails({ db }: Ctx, input: ListEmailsInput): Promise<Page<EmailRow>> {
  const { inboxEmails } = db.tables;
  const hasStatus = input.status === null ? undefined : eq(inboxEmails.status, input.status);
  return newestFirst('emails', input, inboxEmails.id, (isOnPage) =>
    db.query.select().from(inboxEmails).where(and(isOnPage, hasStatus)),
  );
}

/** @throws DomainError email_not_found */
export async function showEmail(ctx: Ctx, { emailId }: { readonly emailId: string }): Promise<EmailRow> {
  const { inboxEmails } = ctx.db.tables;
  const [email] = await ctx.db.query.select().from(inboxEmails).where(eq(inboxEmails.id, emailId));
  if (email === undefined) throw emailNotFound();
  return email;
}

function emailNotFound(): DomainError {
  return new DomainError('email_not_found', 'There is no email with this id in the inbox.', {
    hint: `${operation('getInbox')} lists the emails.`,
  });
}

interface SetEmailStatusInput {
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
