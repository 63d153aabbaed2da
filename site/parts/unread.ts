/** What a visitor has not read in a list of threads. */
import { findUnread, type Unread } from '#domain/forum/thread-reads.ts';
import type { ListedThread } from '#domain/forum/forum-rows.ts';
import type { ContentCtx } from '../page.ts';

const nothing: ReadonlyMap<string, Unread> = new Map();

/** By the id of the thread; nothing for strangers. */
export async function unreadFor(
  ctx: ContentCtx,
  threads: readonly ListedThread[],
): Promise<ReadonlyMap<string, Unread>> {
  return ctx.reader === null ? nothing : findUnread({ ...ctx, agent: ctx.reader }, threads);
}
