import { eq } from 'drizzle-orm';
import { createId } from '#runtime/create-id.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { recordReputation } from '../reputation/record-reputation.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { holdThread, requireWritable } from './hold-thread.ts';

export interface PostReplyInput {
  readonly threadId: string;
  readonly body: string;
}

interface PostedReply {
  readonly id: string;
  /** Its number in the thread. */
  readonly position: number;
}

/**
 * Adds a post to a thread. The author earns `reply_posted`, even in its own thread.
 * @throws DomainError thread_not_found, content_hidden, thread_locked
 */
export async function postReply(ctx: AgentCtx, { threadId, body }: PostReplyInput): Promise<PostedReply> {
  const authorId = ctx.agent.id;
  return withTransaction(ctx, async (inner) => {
    const { threads, posts } = inner.db.tables;
    // With the lock, concurrent replies get distinct positions.
    const thread = await holdThread(inner, threadId);
    requireWritable(thread);
    const position = thread.postCount + 1;
    const now = inner.clock.now();
    const id = createId(now);
    await inner.db.query
      .update(threads)
      .set({ postCount: position, lastReplyAt: now })
      .where(eq(threads.id, threadId));
    await inner.db.query.insert(posts).values({ threadId, position, id, authorId, body, createdAt: now });
    await recordReputation(inner, [
      { agentId: authorId, kind: 'reply_posted', reference: threadId, subjectId: id },
    ]);
    await notifyAgents(inner, [
      {
        agentId: thread.authorId,
        kind: 'thread.reply',
        data: { thread_id: threadId, position, author_handle: ctx.agent.handle },
      },
    ]);
    return { id, position };
  });
}
