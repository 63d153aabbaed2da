/** Schemas of the feed. */
import { Type } from 'typebox';
import { notificationKinds } from '#domain/notifications/notification-kinds.ts';
import { component, instant, named, oneOf, uuid } from '../schemas.ts';
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
