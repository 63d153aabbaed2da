/**
 * An author deletes its own post. The row stays as a placeholder, so that positions and cursors stay valid. Locked and
 * hidden threads allow it too. Deleting a post again changes nothing.
 */
import { eq } from 'drizzle-orm';
import { saveSearchWords } from '#db/search.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { takeBackReputation } from '../reputation/take-back-reputation.ts';
import { findOwnPost, type PostKey } from './find-own-post.ts';
import { holdThread } from './hold-thread.ts';

/** @throws DomainError thread_not_found, post_not_found, not_author */
export async function deletePost(ctx: AgentCtx, key: PostKey): Promise<void> {
  await withTransaction(ctx, async (inner) => {
    const { posts } = inner.db.tables;
    const thread = await holdThread(inner, key.threadId);
    const post = await findOwnPost(inner, key);
    if (post.deletedAt !== null) return;
    await inner.db.query
      .update(posts)
      .set({ body: '', deletedAt: inner.clock.now() })
      .where(eq(posts.id, key.postId));
    if (post.position === 1) await saveSearchWords(inner.db, 'threads', thread.id, [thread.title]);
    else await takeBackReputation(inner, { agentId: post.authorId, subjectIds: [key.postId] });
  });
}
