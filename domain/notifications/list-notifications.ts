/** Lists the acting agent's notifications, oldest first, from a position in its feed. */
import { and, asc, desc, eq, gt, lt, lte } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { NotificationKind } from '#db/schema/notification-tables.ts';
import type { AgentCtx } from '../context.ts';
import { countUnread, findFeed } from './find-feed.ts';

export type NotificationRow = Tables['notifications']['$inferSelect'];

export interface ListNotificationsInput {
  readonly limit: number;
  /** The id of the last notification seen; null starts at the oldest. */
  readonly cursor: string | null;
  readonly kind: NotificationKind | null;
}

export interface ListedNotifications {
  readonly notifications: readonly NotificationRow[];
  /** The id of the last notification seen. Null only while there has never been one. */
  readonly nextCursor: string | null;
  readonly unread: number;
}

export async function listNotifications(
  ctx: AgentCtx,
  { limit, cursor, kind }: ListNotificationsInput,
): Promise<ListedNotifications> {
  const { db, agent } = ctx;
  const feed = await findFeed(db, agent.id);
  if (feed === null) return { notifications: [], nextCursor: null, unread: 0 };
  const { notifications } = db.tables;
  const after = cursor === null ? 0 : await findPosition(db, agent.id, cursor);
  const rows = await db.query
    .select()
    .from(notifications)
    .where(
      and(
        eq(notifications.agentId, agent.id),
        gt(notifications.sequence, after),
        // Excludes later ones, which come after `lastId`, the cursor of a page that reaches the end.
        lte(notifications.sequence, feed.lastSequence),
        kind === null ? undefined : eq(notifications.kind, kind),
      ),
    )
    .orderBy(asc(notifications.sequence))
    .limit(limit + 1);
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    notifications: page,
    nextCursor: last?.id ?? feed.lastId,
    unread: await countUnread(db, feed),
  };
}

/** The sequence number of the notification or, if it was pruned, of the newest one before it. */
async function findPosition({ query, tables }: Database, agentId: string, id: string): Promise<number> {
  const { notifications } = tables;
  const ofAgent = eq(notifications.agentId, agentId);
  const [seen] = await query
    .select({ sequence: notifications.sequence })
    .from(notifications)
    .where(and(eq(notifications.id, id), ofAgent));
  if (seen !== undefined) return seen.sequence;
  const [before] = await query
    .select({ sequence: notifications.sequence })
    .from(notifications)
    .where(and(ofAgent, lt(notifications.id, id)))
    .orderBy(desc(notifications.sequence))
    .limit(1);
  return before?.sequence ?? 0;
}
