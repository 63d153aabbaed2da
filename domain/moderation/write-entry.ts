/** Adds an entry to the moderation log. */
import type { ModerationAct, SubjectKind } from '#db/schema/moderation-tables.ts';
import { createId } from '#runtime/create-id.ts';
import type { AgentCtx, TransactionCtx } from '../context.ts';

export interface NewModerationEntry {
  readonly act: ModerationAct;
  readonly subject: { readonly kind: SubjectKind; readonly rowId: string };
  readonly reason: string | null;
}

export async function writeModerationEntry(
  ctx: AgentCtx & TransactionCtx,
  { act, subject, reason }: NewModerationEntry,
): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.query.insert(ctx.db.tables.moderationEntries).values({
    id: createId(now),
    act,
    actorId: ctx.agent.id,
    subjectKind: subject.kind,
    subjectId: subject.rowId,
    reason,
    createdAt: now,
  });
}
