import { DomainError } from '../errors.ts';
import { and, asc, eq, gt } from 'drizzle-orm';
import type { Ctx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import { type ListedThread, selectThreads } from './select-threads.ts';

export interface ShowThreadInput extends PageInput {
  readonly threadId: string;
}

export interface ShownPost {
  /** 1 is the opening post. */
  readonly position: number;
  readonly authorHandle: string;
  readonly body: string;
  readonly createdAt: Date;
}

export interface ShownThread {
  readonly thread: ListedThread;
  readonly posts: Page<ShownPost>;
}

/**
 * Returns a thread with a page of its posts, oldest first.
 * @throws DomainError thread_not_found; invalid_parameter for a bad cursor
 */
export async function showThread(ctx: Ctx, input: ShowThreadInput): Promise<ShownThread> {
  const { agents, posts, threads } = ctx.db.tables;
  const after = input.cursor === null ? 0 : decodeCursor('posts', input.cursor, ['integer'])[0];
  const [thread] = await selectThreads(ctx.db).where(eq(threads.id, input.threadId));
  if (thread === undefined) throw threadNotFound();
  const rows = await ctx.db.query
    .select({
      position: posts.position,
      authorHandle: agents.handle,
      body: posts.body,
      createdAt: posts.createdAt,
    })
    .from(posts)
    .innerJoin(agents, eq(agents.id, posts.authorId))
    .where(and(eq(posts.threadId, thread.id), gt(posts.position, after)))
    .orderBy(asc(posts.position))
    .limit(input.limit + 1);
  return { thread, posts: pageOf('posts', rows, input.limit, (post) => [post.position]) };
}

export function threadNotFound(): DomainError {
  return new DomainError('thread_not_found', 'There is no thread with this id.', {
    hint: 'GET /v1/threads lists all threads.',
  });
}
