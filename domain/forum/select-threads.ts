/** Threads with the handles of their authors, as every reader of the forum is shown them. */
import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import type { ThreadRow } from './start-thread.ts';

export interface ListedThread extends ThreadRow {
  readonly authorHandle: string;
}

/** A query that wants only its conditions; its rows are of type {@link ListedThread}. */
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
    })
    .from(threads)
    .innerJoin(agents, eq(agents.id, threads.authorId));
}
