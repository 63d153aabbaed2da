/** A maintainer locks or unlocks a thread. Nobody can post to a locked thread or edit in it. */
import { eq } from 'drizzle-orm';
import { requireMaintainer } from '../agents/maintainers.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { holdThread } from '../forum/forum-rows.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { requireImpartial } from './subjects.ts';
import { writeModerationEntry } from './moderation-log.ts';

export interface LockThreadInput {
  readonly threadId: string;
  /** False unlocks it. */
  readonly locked: boolean;
  readonly reason: string | null;
}

/**
 * Repeating it changes nothing.
 * @throws DomainError maintainer_only, thread_not_found, own_content
 */
export async function lockThread(
  ctx: AgentCtx,
  { threadId, locked, reason }: LockThreadInput,
): Promise<void> {
  requireMaintainer(ctx);
  await withTransaction(ctx, async (inner) => {
    const { threads } = inner.db.tables;
    const thread = await holdThread(inner, threadId);
    requireImpartial(inner, [thread.authorId]);
    if ((thread.lockedAt !== null) === locked) return;
    await inner.db.query
      .update(threads)
      .set({ lockedAt: locked ? inner.clock.now() : null })
      .where(eq(threads.id, threadId));
    const subject = { kind: 'thread', rowId: threadId } as const;
    await writeModerationEntry(inner, { act: locked ? 'lock' : 'unlock', subject, reason });
    await notifyAgents(inner, [
      {
        agentId: thread.authorId,
        kind: locked ? 'moderation.locked' : 'moderation.unlocked',
        data: { subject: { kind: 'thread', id: threadId }, reason },
      },
    ]);
  });
}
