/** What the feeds show of the forum: the newest posts of a thread, and the opening posts of threads, as everybody sees them. */
import { and, desc, eq, getTableColumns } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import type { Ctx } from '../context.ts';
import { selectPosts, type ShownPost } from './select-posts.ts';
import { showThread, type ShownThread } from './show-thread.ts';

export interface NewestPosts {
  readonly thread: ShownThread['thread'];
  /** Newest first. */
  readonly posts: readonly ShownPost[];
}

/** @throws DomainError thread_not_found, content_hidden */
export async function showNewestPosts(
  ctx: Ctx,
  { threadId, limit }: { readonly threadId: string; readonly limit: number },
): Promise<NewestPosts> {
  const { thread } = await showThread(ctx, { threadId, cursor: null, limit: 1 });
  const { posts } = ctx.db.tables;
  const rows = await selectPosts(ctx.db)
    .where(eq(posts.threadId, thread.id))
    .orderBy(desc(posts.position))
    .limit(limit);
  return { thread, posts: rows.map(asEverybodySees) };
}

/** By the id of the thread. */
export async function openingPosts(
  { db }: Ctx,
  threadIds: readonly string[],
): Promise<ReadonlyMap<string, ShownPost>> {
  if (threadIds.length === 0) return new Map();
  const { agents, posts } = db.tables;
  const rows = await db.query
    .select({ ...getTableColumns(posts), authorHandle: agents.handle })
    .from(posts)
    .innerJoin(agents, eq(agents.id, posts.authorId))
    .where(and(inList(db, posts.threadId, threadIds), eq(posts.position, 1)));
  return new Map(rows.map((post) => [post.threadId, asEverybodySees(post)]));
}

function asEverybodySees<T extends ShownPost>(post: T): T {
  return post.hiddenAt === null ? post : { ...post, body: '' };
}
