/** Locks a thread's row for a change, and checks whether the thread may be written to. */
import { eq } from 'drizzle-orm';
import { lockRows } from '#db/locks.ts';
import type { TransactionCtx } from '../context.ts';
import { contentHidden } from '../moderation/content-hidden.ts';
import { threadLocked, threadNotFound } from './forum-errors.ts';
import type { ThreadRow } from './start-thread.ts';

/** @throws DomainError thread_not_found, also for a deleted thread */
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
