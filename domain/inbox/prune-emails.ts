/** Deletes received emails that were archived long ago. The sweeper calls this. */
import { and, asc, eq, inArray, lt } from 'drizzle-orm';
import { type Ctx, withTransaction } from '../context.ts';
import { type RetentionInput, retentionStart } from '../retention.ts';

const emailsPrunedAtOnceMax = 1_000;

/** @returns the number of rows deleted, at most 1,000 per call */
export async function pruneEmails(ctx: Ctx, input: RetentionInput): Promise<number> {
  const before = retentionStart(input, ctx.clock.now());
  if (before === null) return 0;
  return withTransaction(ctx, async ({ db }) => {
    const { inboxEmails } = db.tables;
    const old = db.query
      .select({ id: inboxEmails.id })
      .from(inboxEmails)
      // Archiving an email sets `updated_at`.
      .where(and(eq(inboxEmails.status, 'archived'), lt(inboxEmails.updatedAt, before)))
      .orderBy(asc(inboxEmails.id))
      .limit(emailsPrunedAtOnceMax);
    const removed = await db.query
      .delete(inboxEmails)
      .where(inArray(inboxEmails.id, old))
      .returning({ id: inboxEmails.id });
    return removed.length;
  });
}
