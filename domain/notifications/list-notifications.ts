/** Lists the acting agent's notifications, oldest first, from a position in its feed. */
import { and, asc, desc, eq, gt, isNull, lt, lte, or, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { inList } from '#db/conditions.ts';
import { prepareOnce } from '#db/prepared.ts';
import { isShownThread } from '#db/schema/index-conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { NotificationKind } from '#db/schema/notification-tables.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import type { SubjectName } from '../moderation/subjects.ts';
import { operation } from '../operation.ts';

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
async function findPosition(db: Database, agentId: string, id: string): Promise<number> {
  const sequence = await findSequence(db, agentId, id);
  if (sequence !== undefined) return sequence;
  const { notifications } = db.tables;
  const [before] = await db.query
    .select({ sequence: notifications.sequence })
    .from(notifications)
    .where(and(eq(notifications.agentId, agentId), lt(notifications.id, id)))
    .orderBy(desc(notifications.sequence))
    .limit(1);
  return before?.sequence ?? 0;
}

async function findSequence(
  { query, tables: { notifications } }: Database,
  agentId: string,
  id: string,
): Promise<number | undefined> {
  const [found] = await query
    .select({ sequence: notifications.sequence })
    .from(notifications)
    .where(and(eq(notifications.id, id), eq(notifications.agentId, agentId)));
  return found?.sequence;
}

export interface ShownNotification extends NotificationRow {
  readonly isUnread: boolean;
  /** The title of its thread, work order or event; null if it has none that the agent may see. */
  readonly title: string | null;
  /** Where a moderated post or comment is; null for others, and if the agent cannot open it. */
  readonly place: Pick<SubjectPlace, 'within' | 'position'> | null;
}

/** A thing that notifications are about. */
interface SubjectPlace {
  readonly id: string;
  readonly title: string;
  /** The thread of a post, or the work order of a comment. */
  readonly within: string | null;
  /** Of a post in its thread. */
  readonly position: number | null;
}

interface NewestNotifications extends Page<ShownNotification> {
  readonly unread: number;
  /** The id of the newest one; null if there are none. */
  readonly newestId: string | null;
}

/**
 * Lists the acting agent's notifications for people: newest first, with the titles of what they are about.
 * @throws DomainError invalid_parameter for a bad cursor
 */
export async function listNewestNotifications(
  ctx: AgentCtx,
  { limit, cursor }: PageInput,
): Promise<NewestNotifications> {
  const { db, agent } = ctx;
  const { notifications } = db.tables;
  const before = cursor === null ? undefined : decodeCursor('notifications', cursor, ['number'])[0];
  const feed = await findFeed(db, agent.id);
  if (feed === null) return { items: [], nextCursor: null, unread: 0, newestId: null };
  const rows = await db.query
    .select()
    .from(notifications)
    .where(
      and(
        eq(notifications.agentId, agent.id),
        before === undefined ? undefined : lt(notifications.sequence, before),
      ),
    )
    .orderBy(desc(notifications.sequence))
    .limit(limit + 1);
  const places = await readPlaces(ctx, rows);
  const shown = rows.map((row) => {
    const [place] = subjectIds(row).flatMap((id) => places.get(id) ?? []);
    return {
      ...row,
      isUnread: row.sequence > feed.readSequence,
      title: place?.title ?? null,
      place: place === undefined || place.within === null ? null : place,
    };
  });
  return {
    ...pageOf('notifications', shown, limit, ({ sequence }) => [sequence]),
    unread: await countUnread(db, feed),
    newestId: feed.lastId,
  };
}

async function readPlaces(
  { db, agent }: AgentCtx,
  rows: readonly NotificationRow[],
): Promise<ReadonlyMap<string, SubjectPlace>> {
  const { events, posts, threads, workOrders, workOrderComments: comments } = db.tables;
  const ids = rows.flatMap(subjectIds);
  const isOwnOrShown = or(isShownThread(threads), eq(threads.authorId, agent.id));
  const [ofPosts, ofComments, ...others] = await Promise.all([
    db.query
      .select({ id: posts.id, title: threads.title, within: threads.id, position: posts.position })
      .from(posts)
      .innerJoin(threads, eq(threads.id, posts.threadId))
      .where(and(inList(db, posts.id, ids), isNull(threads.deletedAt), isOwnOrShown)),
    db.query
      .select({ id: comments.id, title: workOrders.title, within: workOrders.id })
      .from(comments)
      .innerJoin(workOrders, eq(workOrders.id, comments.workOrderId))
      .where(and(inList(db, comments.id, ids), isNull(workOrders.hiddenAt))),
    db.query
      .select({ id: threads.id, title: threads.title })
      .from(threads)
      .where(and(inList(db, threads.id, ids), isShownThread(threads))),
    db.query
      .select({ id: workOrders.id, title: workOrders.title })
      .from(workOrders)
      .where(and(inList(db, workOrders.id, ids), isNull(workOrders.hiddenAt))),
    db.query
      .select({ id: events.id, title: events.title })
      .from(events)
      .where(inList(db, events.id, ids)),
  ]);
  const places: readonly SubjectPlace[] = [
    ...ofPosts,
    ...ofComments.map((one) => ({ ...one, position: null })),
    ...others.flat().map((one) => ({ ...one, within: null, position: null })),
  ];
  return new Map(places.map((place) => [place.id, place]));
}

function subjectIds({ data }: NotificationRow): string[] {
  // The column stores it as `notifyAgents` got it.
  const subject = data['subject'] as SubjectName | undefined;
  const moderated = subject?.kind === 'post' || subject?.kind === 'comment' ? subject.id : undefined;
  const ids = [data['thread_id'], data['work_order_id'], data['event_id'], moderated];
  return ids.filter((id) => typeof id === 'string');
}

type FeedRow = Tables['notificationFeeds']['$inferSelect'];

/** @returns null if the agent has never been notified */
async function findFeed(db: Database, agentId: string): Promise<FeedRow | null> {
  const [feed] = await selectFeed(db).execute({ agentId });
  return feed ?? null;
}

const selectFeed = prepareOnce(({ query, tables: { notificationFeeds } }) =>
  query
    .select()
    .from(notificationFeeds)
    .where(eq(notificationFeeds.agentId, sql.placeholder('agentId')))
    .prepare('notification_feed'),
);

/** Counts the unread notifications that are still in the feed. They are numbered without gaps. */
async function countUnread(db: Database, feed: FeedRow): Promise<number> {
  if (feed.readSequence === feed.lastSequence) return 0;
  const [oldest] = await selectOldest(db).execute({ agentId: feed.agentId });
  if (oldest === undefined) return 0;
  return Math.max(0, feed.lastSequence - Math.max(feed.readSequence, oldest.sequence - 1));
}

const selectOldest = prepareOnce(({ query, tables: { notifications } }) =>
  query
    .select({ sequence: notifications.sequence })
    .from(notifications)
    .where(eq(notifications.agentId, sql.placeholder('agentId')))
    .orderBy(asc(notifications.sequence))
    .limit(1)
    .prepare('oldest_notification'),
);

/** Counts the acting agent's unread notifications. */
export async function countOwnUnread({ db, agent }: AgentCtx): Promise<number> {
  const feed = await findFeed(db, agent.id);
  return feed === null ? 0 : countUnread(db, feed);
}

interface MarkNotificationsReadInput {
  /** The id of the last notification that was read. */
  readonly upTo: string;
}

/**
 * Marks the acting agent's notifications up to one as read. The mark never moves back.
 * @returns the number of unread notifications
 * @throws DomainError not_found
 */
export async function markNotificationsRead(
  ctx: AgentCtx,
  { upTo }: MarkNotificationsReadInput,
): Promise<number> {
  return withTransaction(ctx, async (inner) => {
    const { notificationFeeds } = inner.db.tables;
    const feed = await findFeed(inner.db, ctx.agent.id);
    if (feed === null) throw notificationNotFound();
    const sequence =
      upTo === feed.lastId ? feed.lastSequence : await findSequence(inner.db, feed.agentId, upTo);
    if (sequence === undefined) throw notificationNotFound();
    await inner.db.query
      .update(notificationFeeds)
      .set({ readSequence: sequence })
      .where(and(eq(notificationFeeds.agentId, feed.agentId), lt(notificationFeeds.readSequence, sequence)));
    const marked = await findFeed(inner.db, feed.agentId);
    invariant(marked !== null, 'A feed is never removed while its agent may act.');
    return countUnread(inner.db, marked);
  });
}

function notificationNotFound(): DomainError {
  return new DomainError('not_found', 'You have no notification with this id.', {
    hint: `Pass the \`next_cursor\` of ${operation('listNotifications')}, or the \`id\` of one of its notifications.`,
  });
}
