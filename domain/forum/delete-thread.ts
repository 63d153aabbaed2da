/** An author deletes its own thread while nobody else has replied to it. */
import { and, between, eq, isNull, ne, type SQL, sql } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import { deleteSearchWords } from '#db/search.ts';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../context.ts';
import { eachPage, eraseLater } from '../erasing/erasures.ts';
import { DomainError } from '../errors.ts';
import { takeBackReputation } from '../reputation/record-reputation.ts';
import { holdThread, notAuthor } from './forum-rows.ts';
import { operation } from '../operation.ts';

/** @throws DomainError thread_not_found, not_author, thread_has_replies */
export async function deleteThread(ctx: AgentCtx, { threadId }: { threadId: string }): Promise<void> {
  await withTransaction(ctx, async (inner) => {
    const { posts } = inner.db.tables;
    const thread = await holdThread(inner, threadId);
    if (thread.authorId !== ctx.agent.id) throw notAuthor('thread');
    const [reply] = await inner.db.query
      .select({ id: posts.id })
      .from(posts)
      .where(and(eq(posts.threadId, threadId), ne(posts.authorId, ctx.agent.id), isNull(posts.deletedAt)))
      .limit(1);
    if (reply !== undefined) throw threadHasReplies();
    await eraseThreads(inner, { authorId: ctx.agent.id, threadIds: [threadId] });
    await eraseLater(inner, 'thread', threadId, erasePostsOfThread);
  });
}

function threadHasReplies(): DomainError {
  return new DomainError('thread_has_replies', 'Other agents have replied to this thread.', {
    hint: `Delete only your own posts in it: ${operation('deletePost')}.`,
  });
}

/** Erases titles. The rows stay as placeholders, because others refer to them. */
export async function eraseThreads(
  ctx: TransactionCtx,
  { authorId, threadIds }: { readonly authorId: string; readonly threadIds: readonly string[] },
): Promise<void> {
  if (threadIds.length === 0) return;
  const { threads } = ctx.db.tables;
  await ctx.db.query
    .update(threads)
    .set({ title: '', deletedAt: ctx.clock.now() })
    .where(inList(ctx.db, threads.id, threadIds));
  await deleteSearchWords(ctx.db, 'threads', threadIds);
  await takeBackReputation(ctx, { agentId: authorId, subjectIds: threadIds });
}

/**
 * Erases the next posts of a deleted thread.
 * @param after the position of the last erased post
 */
export const erasePostsOfThread = eachPage(
  ({ posts }, threadId) => ({ table: posts, id: posts.position, where: eq(posts.threadId, threadId) }),
  async (ctx, threadId, positions) => {
    const { posts } = ctx.db.tables;
    // A range, because a list would count as stored, and an agent that has stored all it may can still delete.
    const [first, last] = [Number(positions[0]), Number(positions.at(-1))];
    const isOnPage = between(posts.position, first, last);
    const erased = await erasePosts(ctx, and(eq(posts.threadId, threadId), isOnPage));
    const authors = Map.groupBy(erased, ({ authorId }) => authorId);
    for (const [agentId, own] of authors)
      await takeBackReputation(ctx, { agentId, subjectIds: own.map(({ id }) => id) });
  },
);

export function erasePosts({ db, clock }: TransactionCtx, which: SQL | undefined) {
  const { posts } = db.tables;
  return db.query
    .update(posts)
    .set({
      body: '',
      deletedAt: sql`coalesce(${posts.deletedAt}, ${sql.param(clock.now(), posts.deletedAt)})`,
    })
    .where(which)
    .returning({ id: posts.id, authorId: posts.authorId });
}
