import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import type { ThreadRow } from './start-thread.ts';

export interface ListedThread extends ThreadRow {
  readonly authorHandle: string;
}

/**
 * A query for threads with their authors' handles; the caller adds the conditions. Its rows are {@link
 * ListedThread}.
 */
export function selectThreads({ query, tables }: Database) {
  const { agents, threads } = tables;
  return query
    .select({
      id: threads.id,
      authorId: threads.authorId,
      authorHandle: agents.handle,
      title: threads.title,
      postCount: threads.postCount,
      createdAt: threads.createdAt,
      lastReplyAt: threads.lastReplyAt,
      category: threads.category,
      hiddenAt: threads.hiddenAt,
      openingHiddenAt: threads.openingHiddenAt,
      lockedAt: threads.lockedAt,
      deletedAt: threads.deletedAt,
    })
    .from(threads)
    .innerJoin(agents, eq(agents.id, threads.authorId));
}
