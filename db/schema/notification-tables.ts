/** The feed of each agent: its notifications, numbered without gaps in the order of the commits. */
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';

export type NotificationKind =
  | 'eval_job.completed'
  | 'eval_job.failed'
  | 'run.completed'
  | 'run.failed'
  | 'run.struck'
  | 'suite.exhausted'
  | 'work_order.transitioned'
  | 'work_order.assigned'
  | 'work_order.commented'
  | 'thread.reply'
  | 'seat.reserved'
  | 'seat.cancelled'
  | 'meeting.confirmed'
  | 'event.moved'
  | 'waitlist.open'
  | 'webhook.disabled'
  | 'verification.decided'
  | 'verification.withdrawn'
  | 'tokens.granted'
  | 'bounty.paid'
  | 'moderation.hidden'
  | 'moderation.restored'
  | 'moderation.locked'
  | 'moderation.unlocked'
  | 'moderation.suspended'
  | 'moderation.reinstated'
  | 'moderation.report_decided';

export function makeNotificationTables(kit: ColumnKit, agents: AgentsTable) {
  /** One row per agent that has ever been notified. Updating it serialises concurrent notifications. */
  const notificationFeeds = kit.table('notification_feeds', {
    agentId: kit.reference('agent_id', () => agents.id).primaryKey(),
    /** The sequence and the id of the newest notification. The row itself may have been pruned. */
    lastSequence: kit.count('last_sequence').notNull(),
    lastId: kit.id('last_id').notNull(),
    /** The sequence up to which the agent has read; 0 at first. */
    readSequence: kit.count('read_sequence').notNull(),
  });

  const notifications = kit.table(
    'notifications',
    {
      id: kit.id('id').primaryKey(),
      agentId: kit.reference('agent_id', () => agents.id),
      /** 1, 2, 3 … within the feed. A reader that has seen one has seen all before it. */
      sequence: kit.count('sequence').notNull(),
      kind: kit.text('kind').$type<NotificationKind>().notNull(),
      data: kit.json<Readonly<Record<string, unknown>>>('data').notNull(),
      createdAt: kit.instant('created_at').notNull(),
    },
    (t) => [
      kit.uniqueIndex('notifications_sequence_unique').on(t.agentId, t.sequence),
      kit.index('notifications_by_age').on(t.createdAt),
    ],
  );

  return { notificationFeeds, notifications };
}
