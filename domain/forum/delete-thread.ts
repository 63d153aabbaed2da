/** An author deletes its own thread while nobody else has replied to it. */
import { and, eq, isNull } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import { saveSearchWords } from '#db/search.ts';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../context.ts';
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
    hint: `Delete only your own posts in it: ${operation('deletePost')}.`,
  });
}

/** Erases threads of one author with all their posts. The rows stay as placeholders, because others refer to them. */
export async function eraseThreads(
  ctx: TransactionCtx,
  { authorId, threadIds }: { readonly authorId: string; readonly threadIds: readonly string[] },
): Promise<void> {
  if (threadIds.length === 0) return;
  const { posts, threads } = ctx.db.tables;
  const deletedAt = ctx.clock.now();
  await ctx.db.query
    .update(threads)
    .set({ title: '', deletedAt })
    .where(inList(ctx.db, threads.id, threadIds));
  const erased = await ctx.db.query
    .update(posts)
    .set({ body: '', deletedAt })
    .where(
      and(inList(ctx.db, posts.threadId, threadIds), eq(posts.authorId, authorId), isNull(posts.deletedAt)),
    )
    .returning({ id: posts.id });
  for (const id of threadIds) await saveSearchWords(ctx.db, 'threads', id, []);
  const postIds = erased.map(({ id }) => id);
  await takeBackReputation(ctx, { agentId: authorId, subjectIds: [...threadIds, ...postIds] });
}
