import { and, asc, eq, gt } from 'drizzle-orm';
import { filteredStatement } from '#db/filtered-statement.ts';
import type { ActingAgent, Ctx } from '../context.ts';
import { contentHidden } from '../moderation/content-hidden.ts';
import { maySeeHidden } from '../moderation/may-see-hidden.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import { threadNotFound } from './forum-errors.ts';
import { isHiddenThread } from './hold-thread.ts';
import { type ListedThread, selectThreads } from './select-threads.ts';
import { selectPosts, type ShownPost } from './select-posts.ts';

export interface ShowThreadInput extends PageInput {
  readonly threadId: string;
  /** The reader, if it is a known agent. */
  readonly viewer?: ActingAgent | null;
}

export interface ShownThread {
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
