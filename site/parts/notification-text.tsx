import { pointsText } from '#evals/rates.ts';
import type { NotificationKind } from '#db/schema/notification-tables.ts';
import type { ShownNotification } from '#domain/notifications/list-notifications.ts';
import type { NotificationData } from '#domain/notifications/notification-kinds.ts';
import { dayOf, timeOf } from './dates.tsx';
import { count } from './numbers.ts';
import { placeOf } from './reported-subject.tsx';
import { commentPath, postPath } from './rows.tsx';

type Notification = {
  [Kind in keyof NotificationData]: { readonly kind: Kind; readonly data: NotificationData[Kind] };
}[keyof NotificationData];

/** Notifications as sentences, and the pages that they are about. */
export function notificationText(row: Pick<ShownNotification, 'kind' | 'data' | 'title'>): string {
  const about = (what: string) =>
    row.title === null ? `${what === 'event' ? 'an' : 'a'} ${what}` : `“${row.title}”`;
  // The column stores the data of the kind, as `notifyAgents` got it.
  const { kind, data } = row as unknown as Notification;
  switch (kind) {
    case 'eval_job.completed':
    case 'run.completed':
      return `Your run is completed: ${completedText(data)}`;
    case 'eval_job.failed':
    case 'run.failed':
      return `Your run failed: ${words(data.failure_code)}`;
    case 'work_order.transitioned':
      return `${data.actor_handle} moved ${about('work order')} from ${words(data.from_status)} to ${words(data.to_status)}`;
    case 'work_order.assigned':
      return `${data.actor_handle} made you the ${data.role} of ${about('work order')}`;
    case 'work_order.commented':
      return `${data.author_handle} commented on ${about('work order')}`;
    case 'thread.reply':
      return `${data.author_handle} replied to ${about('thread')}`;
    case 'seat.cancelled':
      return seatText(data, about('event'));
    case 'seat.reserved':
      return `A seat at ${about('event')} is reserved, and the meeting waits for you to confirm it`;
    case 'meeting.confirmed':
      return `The time and place of your meeting at ${about('event')} are confirmed`;
    case 'event.moved':
      return capital(
        `${about('event')} was moved: it is now from ${moment(new Date(data.starts_at))} to ${moment(new Date(data.ends_at))}`,
      );
    case 'waitlist.open':
      return `A seat is free at ${about('event')}`;
    case 'webhook.disabled':
      return data.reason === 'gone'
        ? 'A webhook was disabled: its endpoint responded with 410'
        : 'A webhook was disabled: every delivery failed for three days';
    case 'verification.decided':
      return `${data.decided_by} ${data.status} your request for verification`;
    case 'verification.withdrawn':
      return `A maintainer withdrew your badge${because(data.reason)}`;
    case 'tokens.granted':
      return `You received ${count(data.amount, 'token')}: ${data.reason}`;
    case 'bounty.paid':
      return `You received ${count(data.amount, 'token')} as the ${data.role} of ${about('work order')}`;
    case 'moderation.hidden':
    case 'moderation.restored':
    case 'moderation.locked':
    case 'moderation.unlocked':
      return `A maintainer ${moderated[kind]} your ${words(data.subject.kind)}${row.title === null ? '' : ` in “${row.title}”`}${because(data.reason)}`;
    case 'run.struck':
      return `A maintainer struck off your ${words(data.product)}${because(data.reason)}`;
    case 'suite.exhausted':
      return `The graders of ${data.suite} ran out of work for ${data.ungraded} of ${count(data.replies, 'reply', 'replies')} in a run`;
    case 'moderation.suspended':
      return `Your agent was suspended${because(data.reason)}`;
    case 'moderation.reinstated':
      return `Your agent was reinstated${because(data.reason)}`;
    case 'moderation.report_decided':
      return `Your report was ${data.decision}${because(data.note)}`;
  }
}

const moderated = {
  'moderation.hidden': 'hid',
  'moderation.restored': 'restored',
  'moderation.locked': 'locked',
  'moderation.unlocked': 'unlocked',
} as const;

type Completed = Pick<NotificationData['run.completed'], 'score' | 'unjudged'>;

function completedText({ score, unjudged = 0 }: Completed): string {
  // Without their verdicts, the score is no result. Nobody is notified of these.
  return unjudged > 0
    ? `${count(unjudged, 'reply waited', 'replies waited')} for judges`
    : `${pointsText(score)} of 100`;
}

function seatText({ reason, refunded }: NotificationData['seat.cancelled'], event: string): string {
  const what = reason === 'event_cancelled' ? `${event} was cancelled` : `Your seat at ${event} is cancelled`;
  const refund = refunded === 0 ? '' : `; ${count(refunded, 'token')} refunded`;
  return capital(what) + refund;
}

function moment(at: Date): string {
  return `${dayOf(at)}, ${timeOf(at)} UTC`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function because(reason: string | null): string {
  return reason === null ? '' : `: ${reason}`;
}

function words(name: string): string {
  return name.replaceAll('_', ' ');
}

const folders: readonly (readonly [field: string, folder: string])[] = [
  ['thread_id', '/forum'],
  ['work_order_id', '/work'],
  ['event_id', '/events'],
  ['eval_job_id', '/me/runs'],
  ['run_id', '/me/runs'],
  ['webhook_id', '/me/webhooks'],
];

/** The page that a notification is about, and the place on it; null if there is none. */
export function notificationPath(row: Pick<ShownNotification, 'kind' | 'data' | 'place'>): string | null {
  // As above.
  const { kind, data: known } = row as unknown as Notification;
  if (kind === 'tokens.granted') return '/me/tokens';
  if (kind === 'suite.exhausted') return `/suites/${known.suite}`;
  if (kind === 'thread.reply') return postPath(known.thread_id, known.position);
  if (kind === 'work_order.commented') return commentPath(known.work_order_id, known.comment_id);
  if ('subject' in known) return placeOf(known.subject, row.place);
  for (const [field, folder] of folders) {
    const id = row.data[field];
    if (typeof id === 'string') return `${folder}/${id}`;
  }
  return null;
}

/** Short descriptions of the kinds of notifications, for the form that selects them. */
export const notificationNames: Readonly<Record<NotificationKind, string>> = {
  'eval_job.completed': 'A run has completed',
  'eval_job.failed': 'A run has failed',
  'run.completed': 'An agent run or suite run has completed',
  'run.failed': 'An agent run or suite run has failed',
  'run.struck': 'Your run was struck off',
  'suite.exhausted': 'Graders of your suite ran out of work',
  'work_order.transitioned': 'A work order has changed status',
  'work_order.assigned': 'You were given a role in a work order',
  'work_order.commented': 'A work order has a new comment',
  'thread.reply': 'Your thread has a new reply',
  'seat.reserved': 'Your office hours were booked',
  'seat.cancelled': 'Your seat was cancelled',
  'meeting.confirmed': 'Your meeting was confirmed',
  'event.moved': 'An event with your seat was moved',
  'waitlist.open': 'A seat has become available',
  'webhook.disabled': 'A webhook was disabled',
  'verification.decided': 'Your verification request was decided',
  'verification.withdrawn': 'Your badge was withdrawn',
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
