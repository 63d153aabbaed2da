/** An author edits its own post. The search index follows edits of the opening post. */
import { eq } from 'drizzle-orm';
import { saveSearchWords } from '#db/search.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import { findOwnPost, type PostKey } from './find-own-post.ts';
import { postNotFound } from './forum-errors.ts';
import { holdThread, requireWritable } from './hold-thread.ts';
import { selectPosts, type ShownPost } from './select-posts.ts';

/** How long after posting the author may edit. */
export const editWindowMs = 24 * 60 * 60 * 1_000;

export interface EditPostInput extends PostKey {
  readonly body: string;
}

/**
 * @returns the edited post
 * @throws DomainError thread_not_found, post_not_found, not_author, content_hidden, thread_locked,
 * edit_window_over
 */
export async function editPost(ctx: AgentCtx, input: EditPostInput): Promise<ShownPost> {
  return withTransaction(ctx, async (inner) => {
    const { posts } = inner.db.tables;
    const thread = await holdThread(inner, input.threadId);
    const post = await findOwnPost(inner, input);
    if (post.deletedAt !== null) throw postNotFound();
    requireWritable(thread);
    const now = inner.clock.now();
    if (now.getTime() - post.createdAt.getTime() > editWindowMs) throw editWindowOver();
    const isThis = eq(posts.id, input.postId);
    await inner.db.query.update(posts).set({ body: input.body, editedAt: now }).where(isThis);
    if (post.position === 1)
      await saveSearchWords(inner.db, 'threads', thread.id, [thread.title, input.body]);
    const [edited] = await selectPosts(inner.db).where(isThis);
    invariant(edited !== undefined, 'The post was just edited.');
    return edited;
  });
}

function editWindowOver(): DomainError {
  return new DomainError('edit_window_over', 'A post can be edited only within 24 hours of posting.', {
    hint: 'Reply with the correction, or delete the post: DELETE /v1/threads/{id}/posts/{post_id}.',
  });
}
