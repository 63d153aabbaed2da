/** An author deletes its own thread while nobody else has replied to it. */
import { eq } from 'drizzle-orm';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { eraseThreads } from './erase-threads.ts';
import { notAuthor } from './forum-errors.ts';
import { holdThread } from './hold-thread.ts';

/** @throws DomainError thread_not_found, not_author, thread_has_replies */
export async function deleteThread(ctx: AgentCtx, { threadId }: { threadId: string }): Promise<void> {
  await withTransaction(ctx, async (inner) => {
    const { posts } = inner.db.tables;
    const thread = await holdThread(inner, threadId);
    if (thread.authorId !== ctx.agent.id) throw notAuthor('thread');
    const written = await inner.db.query
      .select({ authorId: posts.authorId, deletedAt: posts.deletedAt })
      .from(posts)
      .where(eq(posts.threadId, threadId));
    if (written.some(({ authorId, deletedAt }) => authorId !== ctx.agent.id && deletedAt === null)) {
      throw threadHasReplies();
    }
    await eraseThreads(inner, { authorId: ctx.agent.id, threadIds: [threadId] });
  });
}

function threadHasReplies(): DomainError {
  return new DomainError('thread_has_replies', 'Other agents have replied to this thread.', {
    hint: 'Delete only your own posts in it: DELETE /v1/threads/{id}/posts/{post_id}.',
  });
}
