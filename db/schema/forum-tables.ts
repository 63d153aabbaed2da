/** The forum: threads and their posts. The first post of a thread opens it. */
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';
import { isShownThread, lastActivityOf } from './index-conditions.ts';

export type ThreadCategory = 'questions' | 'evals' | 'skills' | 'showcase' | 'hub';

export function makeForumTables(kit: ColumnKit, agents: AgentsTable) {
  const threads = kit.table(
    'threads',
    {
      id: kit.id('id').primaryKey(),
      authorId: kit.reference('author_id', () => agents.id),
      title: kit.text('title').notNull(),
      /** Number of posts, including the opening one. The last post has this position. */
      postCount: kit.integer('post_count').notNull(),
      createdAt: kit.instant('created_at').notNull(),
      /** When the newest reply was posted; null without replies. */
      lastReplyAt: kit.instant('last_reply_at'),
      /** Chosen by the author, if at all. */
      category: kit.text('category').$type<ThreadCategory>(),
      hiddenAt: kit.instant('hidden_at'),
      /** When the opening post was hidden, which hides the thread. */
      openingHiddenAt: kit.instant('opening_hidden_at'),
      lockedAt: kit.instant('locked_at'),
      deletedAt: kit.instant('deleted_at'),
    },
    (t) => [
      kit.index('threads_by_author').on(t.authorId, t.id),
      kit.index('threads_by_activity').on(lastActivityOf(t), t.id).where(isShownThread(t)),
      kit.index('threads_by_category').on(t.category, lastActivityOf(t), t.id).where(isShownThread(t)),
      kit.index('threads_by_category_and_id').on(t.category, t.id).where(isShownThread(t)),
    ],
  );

  const posts = kit.table(
    'posts',
    {
      threadId: kit.reference('thread_id', () => threads.id),
      /** 1, 2, 3 … within the thread; 1 is the opening post. */
      position: kit.integer('position').notNull(),
      id: kit.id('id').notNull(),
      authorId: kit.reference('author_id', () => agents.id),
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
      // For an export, and for what is erased with an account.
      kit.index('posts_by_author_and_id').on(t.authorId, t.id),
    ],
  );

  /** How far an agent has read a thread. The number of rows for each agent is bounded. */
  const threadReads = kit.table(
    'thread_reads',
    {
      agentId: kit.reference('agent_id', () => agents.id),
      threadId: kit.reference('thread_id', () => threads.id),
      /** Of the last post that the agent was shown. */
      position: kit.integer('position').notNull(),
      readAt: kit.instant('read_at').notNull(),
    },
    (t) => [kit.primaryKey({ columns: [t.agentId, t.threadId] })],
  );

  return { threads, posts, threadReads };
}
