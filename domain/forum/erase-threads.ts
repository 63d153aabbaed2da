/** Erases threads of one author with all their posts. The rows stay as placeholders, because others refer to them. */
import { and, eq, isNull } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import { saveSearchWords } from '#db/search.ts';
import type { TransactionCtx } from '../context.ts';
import { takeBackReputation } from '../reputation/take-back-reputation.ts';

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
  const postIds = erased.map(({ id }) => id).filter((id) => id !== null);
  await takeBackReputation(ctx, { agentId: authorId, subjectIds: [...threadIds, ...postIds] });
}
