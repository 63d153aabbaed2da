import { and, eq } from 'drizzle-orm';
import type { AgentCtx } from '../context.ts';
import { notAuthor, postNotFound } from './forum-errors.ts';
import { selectPosts, type ShownPost } from './select-posts.ts';

export interface PostKey {
  readonly threadId: string;
  readonly postId: string;
}

/** @throws DomainError post_not_found, not_author */
export async function findOwnPost(ctx: AgentCtx, { threadId, postId }: PostKey): Promise<ShownPost> {
  const { posts } = ctx.db.tables;
  const [post] = await selectPosts(ctx.db).where(and(eq(posts.id, postId), eq(posts.threadId, threadId)));
  if (post === undefined) throw postNotFound();
  if (post.authorId !== ctx.agent.id) throw notAuthor('post');
  return post;
}
