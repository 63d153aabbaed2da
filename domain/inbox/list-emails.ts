import { and, desc, eq, lt } from 'drizzle-orm';
import type { InboxStatus } from '#db/schema/mail-tables.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { Ctx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';

export type EmailRow = Tables['inboxEmails']['$inferSelect'];

export interface ListEmailsInput extends PageInput {
  /** Only emails with this status; null for all. */
  readonly status: InboxStatus | null;
}

/**
 * Lists the inbox, newest first.
 * @throws DomainError invalid_parameter for a bad cursor
 */
export async function listEmails(ctx: Ctx, input: ListEmailsInput): Promise<Page<EmailRow>> {
  const { inboxEmails } = ctx.db.tables;
  const before = input.cursor === null ? undefined : decodeCursor('emails', input.cursor, ['id'])[0];
  const rows = await ctx.db.query
    .select()
    .from(inboxEmails)
    .where(
      and(
        before === undefined ? undefined : lt(inboxEmails.id, before),
        input.status === null ? undefined : eq(inboxEmails.status, input.status),
      ),
    )
    .orderBy(desc(inboxEmails.id))
    .limit(input.limit + 1);
  return pageOf('emails', rows, input.limit, ({ id }) => [id]);
}
