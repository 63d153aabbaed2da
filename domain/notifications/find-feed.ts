import { asc, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import type { Tables } from '#db/schema/make-schema.ts';

export type FeedRow = Tables['notificationFeeds']['$inferSelect'];

/** @returns null if the agent has never been notified */
export async function findFeed({ query, tables }: Database, agentId: string): Promise<FeedRow | null> {
  const { notificationFeeds } = tables;
  const [feed] = await query.select().from(notificationFeeds).where(eq(notificationFeeds.agentId, agentId));
  return feed ?? null;
}

/** Counts the unread notifications that are still in the feed. They are numbered without gaps. */
export async function countUnread({ query, tables }: Database, feed: FeedRow): Promise<number> {
  if (feed.readSequence === feed.lastSequence) return 0;
  const { notifications } = tables;
  const [oldest] = await query
    .select({ sequence: notifications.sequence })
    .from(notifications)
    .where(eq(notifications.agentId, feed.agentId))
    .orderBy(asc(notifications.sequence))
    .limit(1);
  if (oldest === undefined) return 0;
  return Math.max(0, feed.lastSequence - Math.max(feed.readSequence, oldest.sequence - 1));
}
