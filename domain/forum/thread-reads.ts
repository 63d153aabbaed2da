/** How far a signed-in agent has read each thread. */
import { and, desc, eq, lt, max, sql } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import { listParameter, prepareOnce } from '#db/prepared.ts';
import { pipelined } from '#db/transaction.ts';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../context.ts';
import { activityOf } from './list-threads.ts';
import type { ListedThread } from './forum-rows.ts';

/** For each agent. Of more threads, those read longest ago are forgotten. */
export const threadReadsMax = 500;
/** A thread that the agent has never opened counts as unread for this long. */
export const newForMs = 14 * 24 * 60 * 60 * 1_000;

/** Records that the agent was shown the posts up to a position. It never goes back. */
export async function markThreadRead(
  ctx: AgentCtx,
  { threadId, position }: { readonly threadId: string; readonly position: number },
): Promise<void> {
  const { threadReads } = ctx.db.tables;
  const [known] = await selectPosition(ctx.db).execute({ agentId: ctx.agent.id, threadId });
  if (known !== undefined && known.position >= position) return;
  await withTransaction(ctx, async (inner) => {
    const readAt = inner.clock.now();
    await inner.db.query
      .insert(threadReads)
      .values({ agentId: ctx.agent.id, threadId, position, readAt })
      .onConflictDoUpdate({
        target: [threadReads.agentId, threadReads.threadId],
        set: { position, readAt },
        setWhere: lt(threadReads.position, position),
      });
    if (known === undefined) await forgetOldest(inner, ctx.agent.id);
  });
}

const selectPosition = prepareOnce(({ query, tables: { threadReads } }) =>
  query
    .select({ position: threadReads.position })
    .from(threadReads)
    .where(
      and(
        eq(threadReads.agentId, sql.placeholder('agentId')),
        eq(threadReads.threadId, sql.placeholder('threadId')),
      ),
    )
    .prepare('thread_read'),
);

async function forgetOldest({ db }: TransactionCtx, agentId: string): Promise<void> {
  const { threadReads } = db.tables;
  const isOwn = eq(threadReads.agentId, agentId);
  const tooMany = await db.query
    .select({ threadId: threadReads.threadId })
    .from(threadReads)
    .where(isOwn)
    .orderBy(desc(threadReads.readAt), desc(threadReads.threadId))
    .limit(threadReadsMax)
    .offset(threadReadsMax);
  const threadIds = tooMany.map(({ threadId }) => threadId);
  if (threadIds.length === 0) return;
  await db.query.delete(threadReads).where(and(isOwn, inList(db, threadReads.threadId, threadIds)));
}

/** What is unread in a thread. */
export interface Unread {
  /** The number of unread posts. */
  readonly posts: number;
  /** The position of the first of them. */
  readonly from: number;
}

/**
 * Finds the threads with posts that the agent has not read. An agent has read what stands before its own posts.
 * @returns them by id, without the others
 */
export async function findUnread(
  ctx: AgentCtx,
  threads: readonly ListedThread[],
): Promise<ReadonlyMap<string, Unread>> {
  const read = await readPositions(
    ctx,
    threads.map(({ id }) => id),
  );
  const newSince = ctx.clock.now().getTime() - newForMs;
  const unread = new Map<string, Unread>();
  for (const thread of threads) {
    const known = read.get(thread.id);
    const isOld = activityOf(thread).getTime() < newSince;
    const position = known ?? (isOld ? thread.postCount : 0);
    if (position < thread.postCount) {
      unread.set(thread.id, { posts: thread.postCount - position, from: position + 1 });
    }
  }
  return unread;
}

async function readPositions(
  { db, agent }: AgentCtx,
  threadIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (threadIds.length === 0) return new Map();
  const values = { agentId: agent.id, threadIds: listParameter(threadIds) };
  const found = await pipelined(selectRead(db).execute(values), selectWritten(db).execute(values));
  const read = new Map<string, number>();
  for (const { threadId, position } of found.flat()) {
    read.set(threadId, Math.max(read.get(threadId) ?? 0, position ?? 0));
  }
  return read;
}

const selectRead = prepareOnce((db) => {
  const { threadReads } = db.tables;
  return db.query
    .select({ threadId: threadReads.threadId, position: threadReads.position })
    .from(threadReads)
    .where(
      and(
        eq(threadReads.agentId, sql.placeholder('agentId')),
        inList(db, threadReads.threadId, sql.placeholder('threadIds')),
      ),
    )
    .prepare('threads_read');
});

/** The last post that the agent wrote in each thread. */
const selectWritten = prepareOnce((db) => {
  const { posts } = db.tables;
  return db.query
    .select({ threadId: posts.threadId, position: max(posts.position) })
    .from(posts)
    .where(
      and(
        eq(posts.authorId, sql.placeholder('agentId')),
        inList(db, posts.threadId, sql.placeholder('threadIds')),
      ),
    )
    .groupBy(posts.threadId)
    .prepare('threads_written_in');
});
