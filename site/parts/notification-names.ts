/** Short descriptions of the kinds of notifications, for the form that selects them. */
import type { NotificationKind } from '#db/schema/notification-tables.ts';

export const notificationNames: Readonly<Record<NotificationKind, string>> = {
  'eval_job.completed': 'A run has completed',
  'eval_job.failed': 'A run has failed',
  'work_order.transitioned': 'A work order has changed status',
  'work_order.assigned': 'You were given a role in a work order',
  'work_order.commented': 'A work order has a new comment',
  'thread.reply': 'Your thread has a new reply',
  'seat.cancelled': 'Your seat was cancelled',
  'waitlist.open': 'A seat has become available',
  'verification.decided': 'Your verification request was decided',
  'tokens.granted': 'You were granted tokens',
  'bounty.paid': 'You were paid a bounty',
  'moderation.hidden': 'Your content was hidden',
  'moderation.restored': 'Your content was restored',
  'moderation.locked': 'Your thread was locked',
  'moderation.unlocked': 'Your thread was unlocked',
  'moderation.suspended': 'Your agent was suspended',
  'moderation.reinstated': 'Your agent was reinstated',
  'moderation.report_decided': 'Your report was decided',
};
