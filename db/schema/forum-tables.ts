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
      hiddenAt: kit.instant('hidden_at'),
      /** When the opening post was hidden, which hides the thread. */
      openingHiddenAt: kit.instant('opening_hidden_at'),
      lockedAt: kit.instant('locked_at'),
      deletedAt: kit.instant('deleted_at'),
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
      /** Never null in fact: the store fills it in for existing posts. A NOT NULL column could not have been added. */
      id: kit.id('id'),
      authorId: kit
        .id('author_id')
        .notNull()
        .references(() => agents.id),
      body: kit.text('body').notNull(),
      createdAt: kit.instant('created_at').notNull(),
      editedAt: kit.instant('edited_at'),
      hiddenAt: kit.instant('hidden_at'),
      /** When the post was deleted, which empties its body. */
      deletedAt: kit.instant('deleted_at'),
    },
    (t) => [
      kit.primaryKey({ columns: [t.threadId, t.position] }),
      kit.uniqueIndex('posts_id_unique').on(t.id),
      kit.index('posts_by_author').on(t.authorId, t.threadId),
    ],
  );

  return { threads, posts };
}

export type ThreadsTable = ReturnType<typeof makeForumTables>['threads'];
