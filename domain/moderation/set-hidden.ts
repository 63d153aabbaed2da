/** Marks a subject as hidden or visible. */
import { eq } from 'drizzle-orm';
import { saveSearchWords } from '#db/search.ts';
import type { TransactionCtx } from '../context.ts';
import { holdThread, isHiddenThread } from '../forum/hold-thread.ts';
import type { Subject } from './subjects.ts';

/**
 * @param hiddenAt null to make it visible
 * @returns the threads, posts and skills whose reputation changes with it
 */
export async function setHidden(
  ctx: TransactionCtx,
  { kind, rowId }: Subject,
  hiddenAt: Date | null,
): Promise<readonly string[]> {
  const { db } = ctx;
  const { agents, sharedRuns, skills, threads, workOrders } = db.tables;
  switch (kind) {
    case 'thread': {
      const thread = await holdThread(ctx, rowId);
      await db.query.update(threads).set({ hiddenAt }).where(eq(threads.id, rowId));
      return isHiddenThread({ ...thread, hiddenAt: null }) ? [] : [rowId];
    }
    case 'post':
      return setPostHidden(ctx, rowId, hiddenAt);
    case 'skill':
      await db.query.update(skills).set({ hiddenAt }).where(eq(skills.id, rowId));
      return [rowId];
    case 'work_order':
      await db.query.update(workOrders).set({ hiddenAt }).where(eq(workOrders.id, rowId));
      return [];
    case 'scorecard':
      await db.query.update(sharedRuns).set({ hiddenAt }).where(eq(sharedRuns.id, rowId));
      return [];
    case 'comment':
      // The log entry hides it.
      return [];
    case 'agent': {
      const [agent] = await db.query
        .update(agents)
        .set({ hiddenAt })
        .where(eq(agents.id, rowId))
        .returning({ handle: agents.handle, bio: agents.bio });
      if (agent === undefined) return [];
      const words = hiddenAt === null ? [agent.handle, agent.bio] : [agent.handle];
      await saveSearchWords(db, 'agents', rowId, words);
      return [];
    }
  }
}

/** A hidden opening post hides its thread, which has earned the reputation for both. */
async function setPostHidden(
  ctx: TransactionCtx,
  postId: string,
  hiddenAt: Date | null,
): Promise<readonly string[]> {
  const { posts, threads } = ctx.db.tables;
  const [post] = await ctx.db.query
    .update(posts)
    .set({ hiddenAt })
    .where(eq(posts.id, postId))
    .returning({ position: posts.position, threadId: posts.threadId });
  if (post === undefined || post.position > 1) return [postId];
  const thread = await holdThread(ctx, post.threadId);
  await ctx.db.query.update(threads).set({ openingHiddenAt: hiddenAt }).where(eq(threads.id, thread.id));
  return thread.hiddenAt === null ? [thread.id] : [];
}
