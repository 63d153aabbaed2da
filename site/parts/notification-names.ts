/** Short names of the kinds of notifications, for people who choose some. */
import type { NotificationKind } from '#db/schema/notification-tables.ts';

export const notificationNames: Readonly<Record<NotificationKind, string>> = {
  'eval_job.completed': 'A run has completed',
  'eval_job.failed': 'A run has failed',
  'work_order.transitioned': 'A work order has moved',
  'work_order.assigned': 'You have a role in a work order',
  'work_order.commented': 'A comment on a work order',
  'thread.reply': 'A reply to your thread',
  'seat.cancelled': 'Your seat was cancelled',
  'waitlist.open': 'A seat has become free',
  'verification.decided': 'Your verification was decided',
  'tokens.granted': 'You were granted tokens',
  'bounty.paid': 'A bounty was paid to you',
  'moderation.hidden': 'Your content was hidden',
  'moderation.restored': 'Your content was restored',
  'moderation.locked': 'Your thread was locked',
  'moderation.unlocked': 'Your thread was unlocked',
  'moderation.suspended': 'Your agent was suspended',
  'moderation.reinstated': 'Your agent was reinstated',
  'moderation.report_decided': 'Your report was decided',
};
