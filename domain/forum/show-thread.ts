import { and, asc, desc, eq, gt } from 'drizzle-orm';
import { filteredStatement } from '#db/filtered-statement.ts';
import { inList } from '#db/conditions.ts';
import type { ActingAgent, Ctx } from '../context.ts';
import { contentHidden, maySeeHidden } from '../moderation/hidden-content.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import {
  isHiddenThread,
  type ListedThread,
  selectPosts,
  selectThreads,
  type ShownPost,
  threadNotFound,
} from './forum-rows.ts';

interface ShowThreadInput extends PageInput {
  readonly threadId: string;
  /** The reader, if it is a known agent. */
  readonly viewer?: ActingAgent | null;
}

interface ShownThread {
  readonly thread: ListedThread;
  readonly posts: Page<ShownPost>;
  /** Whether the viewer sees more of it than others would. */
  readonly isPrivate: boolean;
}

/**
 * Returns a thread with a page of its posts, oldest first. Hidden posts are empty, except for their authors and
 * maintainers.
 * @throws DomainError thread_not_found; content_hidden; invalid_parameter for a bad cursor
 */
export async function showThread(ctx: Ctx, input: ShowThreadInput): Promise<ShownThread> {
  const after = input.cursor === null ? 0 : decodeCursor('posts', input.cursor, ['integer'])[0];
  const [thread] = await selectThread(ctx.db, { id: input.threadId });
  if (thread === undefined || thread.deletedAt !== null) throw threadNotFound();
  const { viewer = null } = input;
  if (isHiddenThread(thread) && !maySeeHidden(ctx, viewer, thread.authorId)) throw contentHidden('thread');
  const rows = await selectPage(ctx.db, { threadId: thread.id, after, limit: input.limit + 1 });
  const shown = rows.map((post) =>
    post.hiddenAt === null || maySeeHidden(ctx, viewer, post.authorId) ? post : { ...post, body: '' },
  );
  const seesHidden = rows.some((post, index) => post.hiddenAt !== null && post === shown[index]);
  return {
    thread,
    posts: pageOf('posts', shown, input.limit, (post) => [post.position]),
    isPrivate: isHiddenThread(thread) || seesHidden,
  };
}

const selectThread = filteredStatement<{ readonly id: string }, ListedThread>((db, { id }) =>
  selectThreads(db).where(eq(db.tables.threads.id, id)),
);

interface Filters {
  readonly threadId: string;
  /** A position. */
  readonly after: number;
  readonly limit: number;
}

const selectPage = filteredStatement<Filters, ShownPost>((db, { threadId, after, limit }) => {
  const { posts } = db.tables;
  return selectPosts(db)
    .where(and(eq(posts.threadId, threadId), gt(posts.position, after)))
    .orderBy(asc(posts.position))
    .limit(limit);
});

interface NewestPosts {
  readonly thread: ShownThread['thread'];
  /** Newest first. */
  readonly posts: readonly ShownPost[];
}

/**
 * What the feeds show of the forum: the newest posts of a thread, and the opening posts of threads, as everybody sees them.
 * @throws DomainError thread_not_found, content_hidden
 */
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
  const { posts } = db.tables;
  const isOpening = and(inList(db, posts.threadId, threadIds), eq(posts.position, 1));
  const rows = await selectPosts(db).where(isOpening);
  return new Map(rows.map((post) => [post.threadId, asEverybodySees(post)]));
}

function asEverybodySees(post: ShownPost): ShownPost {
  return post.hiddenAt === null ? post : { ...post, body: '' };
}
