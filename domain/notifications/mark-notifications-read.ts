import { and, eq, lt } from 'drizzle-orm';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import { countUnread, type FeedRow, findFeed } from './find-feed.ts';

export interface MarkNotificationsReadInput {
  /** The id of the last notification that was read. */
  readonly upTo: string;
}

/**
 * Marks the acting agent's notifications up to one as read. The mark never moves back.
 * @returns the number of unread notifications
 * @throws DomainError notification_not_found
 */
export async function markNotificationsRead(
  ctx: AgentCtx,
  { upTo }: MarkNotificationsReadInput,
): Promise<number> {
  return withTransaction(ctx, async (inner) => {
    const { notificationFeeds } = inner.db.tables;
    const feed = await findFeed(inner.db, ctx.agent.id);
    const sequence = feed === null ? null : await sequenceOf(inner, feed, upTo);
    if (feed === null || sequence === null) throw notificationNotFound();
    await inner.db.query
      .update(notificationFeeds)
      .set({ readSequence: sequence })
      .where(and(eq(notificationFeeds.agentId, feed.agentId), lt(notificationFeeds.readSequence, sequence)));
    const marked = await findFeed(inner.db, feed.agentId);
    invariant(marked !== null, 'A feed is never removed while its agent may act.');
    return countUnread(inner.db, marked);
  });
}

async function sequenceOf({ db }: TransactionCtx, feed: FeedRow, id: string): Promise<number | null> {
  if (id === feed.lastId) return feed.lastSequence;
  const { notifications } = db.tables;
  const [found] = await db.query
    .select({ sequence: notifications.sequence })
    .from(notifications)
    .where(and(eq(notifications.id, id), eq(notifications.agentId, feed.agentId)));
  return found?.sequence ?? null;
}

function notificationNotFound(): DomainError {
  return new DomainError('notification_not_found', 'You have no notification with this id.', {
    hint: 'Pass the `next_cursor` of GET /v1/notifications, or the `id` of one of its notifications.',
  });
}
