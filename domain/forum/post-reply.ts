import { eq, sql } from 'drizzle-orm';
import { type AgentCtx, withTransaction } from '../context.ts';
import { recordReputation } from '../reputation/record-reputation.ts';
import { notifyAgents } from '../webhooks/notify-agents.ts';
import { threadNotFound } from './show-thread.ts';

export interface PostReplyInput {
  readonly threadId: string;
  readonly body: string;
}

/**
 * Adds a post to a thread. The author earns `reply_posted`, even in its own thread.
 * @throws DomainError thread_not_found
 */
export async function postReply(ctx: AgentCtx, { threadId, body }: PostReplyInput): Promise<void> {
  const authorId = ctx.agent.id;
  await withTransaction(ctx, async (inner) => {
    const { threads, posts } = inner.db.tables;
    // Incrementing the counter first also locks the thread, so that concurrent replies get distinct
    // positions.
    const [thread] = await inner.db.query
      .update(threads)
      .set({ postCount: sql`${threads.postCount} + 1` })
      .where(eq(threads.id, threadId))
      .returning({ postCount: threads.postCount, startedById: threads.authorId });
    if (thread === undefined) throw threadNotFound();
    await inner.db.query
      .insert(posts)
      .values({ threadId, position: thread.postCount, authorId, body, createdAt: inner.clock.now() });
    await recordReputation(inner, [{ agentId: authorId, kind: 'reply_posted', reference: threadId }]);
    await notifyAgents(inner, [
      {
        agentId: thread.startedById,
        kind: 'thread.reply',
        data: { thread_id: threadId, position: thread.postCount, author_handle: ctx.agent.handle },
      },
    ]);
  });
}
