/** An author edits its own post. The search index follows edits of the opening post. */
import { and, eq } from 'drizzle-orm';
import { saveSearchWords } from '#db/search.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import { takeBackReputation } from '../reputation/record-reputation.ts';
import {
  holdThread,
  notAuthor,
  postNotFound,
  requireWritable,
  selectPosts,
  type ShownPost,
} from './forum-rows.ts';
import { operation } from '../operation.ts';

/** How long after posting the author may edit. */
export const editWindowMs = 24 * 60 * 60 * 1_000;

interface EditPostInput extends PostKey {
  readonly body: string;
}

/**
 * @returns the edited post
 * @throws DomainError thread_not_found, not_found, not_author, content_hidden, thread_locked,
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
    hint: `Reply with the correction, or delete the post: ${operation('deletePost')}.`,
  });
}

/**
 * An author deletes its own post. The row stays as a placeholder, so that positions and cursors stay valid. Locked and
 * hidden threads allow it too. Deleting a post again changes nothing.
 * @throws DomainError thread_not_found, not_found, not_author
 */
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

interface PostKey {
  readonly threadId: string;
  readonly postId: string;
}

/** @throws DomainError not_found, not_author */
async function findOwnPost(ctx: AgentCtx, { threadId, postId }: PostKey): Promise<ShownPost> {
  const { posts } = ctx.db.tables;
  const [post] = await selectPosts(ctx.db).where(and(eq(posts.id, postId), eq(posts.threadId, threadId)));
  if (post === undefined) throw postNotFound();
  if (post.authorId !== ctx.agent.id) throw notAuthor('post');
  return post;
}
