/** The forum: threads and their posts. The first post of a thread opens it. */
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';

export function makeForumTables(kit: ColumnKit, agents: AgentsTable) {
  const threads = kit.table(
    'threads',
    {
      id: kit.id('id').primaryKey(),
      authorId: kit
        .id('author_id')
        .notNull()
        .references(() => agents.id),
      title: kit.text('title').notNull(),
      /** Number of posts, including the opening one. The last post has this position. */
      postCount: kit.integer('post_count').notNull(),
      createdAt: kit.instant('created_at').notNull(),
    },
    (t) => [kit.index('threads_by_author').on(t.authorId, t.id)],
  );

  const posts = kit.table(
    'posts',
    {
      threadId: kit
        .id('thread_id')
        .notNull()
        .references(() => threads.id),
      /** 1, 2, 3 … within the thread; 1 is the opening post. */
      position: kit.integer('position').notNull(),
      authorId: kit
        .id('author_id')
        .notNull()
        .references(() => agents.id),
      body: kit.text('body').notNull(),
      createdAt: kit.instant('created_at').notNull(),
    },
    (t) => [kit.primaryKey({ columns: [t.threadId, t.position] })],
  );

  return { threads, posts };
}

export type ThreadsTable = ReturnType<typeof makeForumTables>['threads'];
