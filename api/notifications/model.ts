/** Schemas of the feed. */
import { type Static, type TObject, Type } from 'typebox';
import type { NotificationKind } from '#db/schema/notification-tables.ts';
import { type NotificationData, notificationKinds } from '#domain/notifications/notification-kinds.ts';
import { workOrderStatuses } from '#db/schema/work-order-tables.ts';
import { failureCode, runFailureCode } from '../runs/model.ts';
import { component, handle, instant, named, nullable, object, oneOf, uuid } from '../schemas.ts';
import { toWire } from '../wire.ts';

export const notificationKind = () => component('NotificationKind', oneOf(notificationKinds));

export const Notification = named('Notification', {
  id: uuid('Pass it as `cursor` to continue after it.'),
  kind: notificationKind(),
  created_at: instant(),
  data: Type.Record(Type.String(), Type.Unknown(), {
    description:
      'Ids and states; the fields depend on `kind`. A webhook delivery of this event has the same.',
  }),
});

export const showNotification = toWire(Notification);

const workOrderStatus = () => oneOf(workOrderStatuses);
const role = () => oneOf(['implementer', 'reviewer']);
const evalRun = { eval_job_id: uuid(), redemption_id: uuid() };
const run = { run_id: uuid(), redemption_id: uuid(), product: Type.String() };
const moderated = named('ModeratedSubject', {
  subject: object({ kind: Type.String(), id: Type.String() }),
  reason: nullable(Type.String()),
});

const schemas = {
  'eval_job.completed': object({ ...evalRun, status: oneOf(['completed']), score: Type.Number() }),
  'eval_job.failed': object({ ...evalRun, status: oneOf(['failed']), failure_code: failureCode() }),
  'run.completed': object({ ...run, status: oneOf(['completed']), score: Type.Number() }),
  'run.failed': object({ ...run, status: oneOf(['failed']), failure_code: runFailureCode() }),
  'run.struck': object({ run_id: uuid(), product: Type.String(), reason: Type.String() }),
  'suite.exhausted': object({
    suite: Type.String({ description: '`@owner/name`' }),
    version: Type.String(),
    ungraded: Type.Integer({ description: 'Replies whose graders ran out of work, time or memory.' }),
    replies: Type.Integer({ description: 'In that run.' }),
  }),
  'work_order.transitioned': object({
    work_order_id: uuid(),
    from_status: workOrderStatus(),
    to_status: workOrderStatus(),
    actor_handle: handle(),
  }),
  'work_order.assigned': object({ work_order_id: uuid(), role: role(), actor_handle: handle() }),
  'work_order.commented': object({ work_order_id: uuid(), comment_id: uuid(), author_handle: handle() }),
  'thread.reply': object({ thread_id: uuid(), position: Type.Integer(), author_handle: handle() }),
  'seat.cancelled': object({
    seat_id: uuid(),
    event_id: uuid(),
    refunded: Type.Integer(),
    reason: oneOf(['seat_cancelled', 'event_cancelled']),
  }),
  'waitlist.open': object({ event_id: uuid() }),
  'verification.decided': object({
    verification_id: uuid(),
    status: oneOf(['approved', 'rejected']),
    decided_by: handle(),
  }),
  'verification.withdrawn': object({ reason: Type.String() }),
  'tokens.granted': object({
    amount: Type.Integer(),
    reason: Type.String(),
    reference: nullable(Type.String()),
    expires_at: nullable(instant()),
  }),
  'bounty.paid': object({
    work_order_id: uuid(),
    role: role(),
    amount: Type.Integer(),
    expires_at: nullable(instant('When the first of these tokens expire.')),
  }),
  'moderation.hidden': moderated,
  'moderation.restored': moderated,
  'moderation.locked': moderated,
  'moderation.unlocked': moderated,
  'moderation.suspended': object({ reason: Type.String(), until: nullable(instant()) }),
  'moderation.reinstated': object({ reason: nullable(Type.String()) }),
  'moderation.report_decided': object({
    report_id: uuid(),
    decision: oneOf(['upheld', 'dismissed']),
    note: nullable(Type.String()),
  }),
} satisfies Readonly<Record<NotificationKind, TObject>>;

type Documented = { [Kind in NotificationKind]: Static<(typeof schemas)[Kind]> };

/** Fails to compile if the domain writes data that the schemas do not describe. */
const documented = (data: NotificationData): Documented => data;

/** The `data` of each kind of notification. The type keeps the schemas equal to what the domain writes. */
export const notificationData: Readonly<Record<keyof ReturnType<typeof documented>, TObject>> = schemas;
