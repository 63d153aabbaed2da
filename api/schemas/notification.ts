/** Schemas of the feed. */
import { Type, type Static } from 'typebox';
import { notificationKinds } from '#domain/notifications/notification-kinds.ts';
import type { NotificationRow } from '#domain/notifications/list-notifications.ts';
import { component, object } from './object.ts';
import { instant, oneOf, uuid } from './values.ts';

export const Notification = component(
  'Notification',
  object({
    id: uuid('Pass it as `cursor` to continue after it.'),
    kind: oneOf(notificationKinds),
    created_at: instant(),
    data: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'Ids and states; the fields depend on `kind`. A webhook delivery of this event has the same.',
    }),
  }),
);

export function showNotification(row: NotificationRow): Static<typeof Notification> {
  return { id: row.id, kind: row.kind, created_at: row.createdAt.toISOString(), data: { ...row.data } };
}
