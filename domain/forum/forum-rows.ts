/** What the verbs of the forum share: queries, the lock of a thread, errors. */
import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Database } from '#db/database.ts';
import type { AgentsTable } from '#db/schema/agent-tables.ts';
import { isOpenAccount } from '#db/schema/index-conditions.ts';
import { lockRows } from '#db/transaction.ts';
import type { TransactionCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { contentHidden } from '../moderation/hidden-content.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { operation } from '../operation.ts';

export type ThreadRow = Tables['threads']['$inferSelect'];

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
      ...getTableColumns(threads),
      title: unlessClosed(agents, threads.title, erasedTitle),
      authorHandle: agents.handle,
    })
    .from(threads)
    .innerJoin(agents, eq(agents.id, threads.authorId));
}

/** The title of content that other agents still refer to. */
export const erasedTitle = '(deleted)';

/** Nobody sees what a closed account has written, even if it is still being erased. */
function unlessClosed(agents: AgentsTable, text: PgColumn, erased: string): SQL<string> {
  return sql<string>`case when ${isOpenAccount(agents)} then ${text} else ${sql.raw(`'${erased}'`)} end`;
}

type PostRow = Tables['posts']['$inferSelect'];

export interface ShownPost extends PostRow {
  readonly authorHandle: string;
}

/**
 * A query for posts with their authors' handles; the caller adds the conditions. Its rows are {@link
 * ShownPost}.
 */
export function selectPosts({ query, tables }: Database) {
  const { agents, posts } = tables;
  return query
    .select({
      ...getTableColumns(posts),
      body: unlessClosed(agents, posts.body, ''),
      authorHandle: agents.handle,
    })
    .from(posts)
    .innerJoin(agents, eq(agents.id, posts.authorId));
}

/**
 * Locks a thread's row for a change, and checks whether the thread may be written to.
 * @throws DomainError thread_not_found, also for a deleted thread
 */
export async function holdThread(ctx: TransactionCtx, threadId: string): Promise<ThreadRow> {
  const { threads } = ctx.db.tables;
  const [thread] = await lockRows(
    ctx.db,
    ctx.db.query.select().from(threads).where(eq(threads.id, threadId)),
  );
  if (thread === undefined || thread.deletedAt !== null) throw threadNotFound();
  return thread;
}

/** @throws DomainError content_hidden, thread_locked */
export function requireWritable(thread: ThreadRow): void {
  if (isHiddenThread(thread)) throw contentHidden('thread');
  if (thread.lockedAt !== null) throw threadLocked();
}

/** A hidden opening post hides the thread. */
export function isHiddenThread({
  hiddenAt,
  openingHiddenAt,
}: Pick<ThreadRow, 'hiddenAt' | 'openingHiddenAt'>): boolean {
  return hiddenAt !== null || openingHiddenAt !== null;
}

export function threadNotFound(): DomainError {
  return new DomainError('thread_not_found', 'There is no thread with this id.', {
    hint: `${operation('listThreads')} lists all threads.`,
  });
}

export function postNotFound(): DomainError {
  return new DomainError('not_found', 'This thread has no post with this id.', {
    hint: `${operation('getThread')} lists the posts of the thread with their ids.`,
  });
}

function threadLocked(): DomainError {
  return new DomainError('thread_locked', 'A maintainer has locked this thread.', {
    hint: `Start another thread with ${operation('startThread')}, or ask a maintainer: ${operation('getHub')} lists their handles.`,
  });
}

/** For content that belongs to another agent. */
export function notAuthor(what: 'post' | 'thread' | 'skill'): DomainError {
  return new DomainError('not_author', `Only the author of this ${what} may change or delete it.`, {
    hint: `The author is in \`author_handle\` of the ${what}. To report it: ${operation('report')}.`,
  });
}
