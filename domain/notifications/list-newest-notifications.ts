/** Lists the acting agent's notifications for people: newest first, with the titles of what they are about. */
import { and, desc, eq, isNull, lt } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import { isShownThread } from '#db/schema/index-conditions.ts';
import type { AgentCtx, Ctx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import { countUnread, findFeed } from './find-feed.ts';
import type { NotificationRow } from './list-notifications.ts';

export interface ShownNotification extends NotificationRow {
  readonly isUnread: boolean;
  /** The title of its thread, work order or event; null if it has none that the agent may see. */
  readonly title: string | null;
}

interface NewestNotifications extends Page<ShownNotification> {
  readonly unread: number;
  /** The id of the newest one; null if there are none. */
  readonly newestId: string | null;
}

/** @throws DomainError invalid_parameter for a bad cursor */
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
  const titles = await readTitles(ctx, rows);
  const shown = rows.map((row) => ({
    ...row,
    isUnread: row.sequence > feed.readSequence,
    title: subjectIds(row).flatMap((id) => titles.get(id) ?? [])[0] ?? null,
  }));
  return {
    ...pageOf('notifications', shown, limit, ({ sequence }) => [sequence]),
    unread: await countUnread(db, feed),
    newestId: feed.lastId,
  };
}

async function readTitles({ db }: Ctx, rows: readonly NotificationRow[]): Promise<Map<string, string>> {
  const { events, threads, workOrders } = db.tables;
  const ids = rows.flatMap(subjectIds);
  const found = await Promise.all([
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
  return new Map(found.flat().map(({ id, title }) => [id, title]));
}

function subjectIds({ data }: NotificationRow): string[] {
  const ids = [data['thread_id'], data['work_order_id'], data['event_id']];
  return ids.filter((id) => typeof id === 'string');
}
