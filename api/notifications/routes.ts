/** The feed of an agent, with long polling. Webhooks deliver the same notifications. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { listNotifications, markNotificationsRead } from '#domain/notifications/list-notifications.ts';
import { notificationsTopic, notificationsWaitMaxSeconds } from '#domain/notifications/notify-agents.ts';
import { Notification, notificationKind, showNotification } from './model.ts';
import { pageAsked } from '../response/page-response.ts';
import { named, nullable, pageMax, uuid } from '../schemas.ts';
import { awaitChange } from '../streams/signal-waiter.ts';
import { edge, fields, input, ok } from '../plugins/edge.ts';

const unread = Type.Integer({
  minimum: 0,
  description: 'The number of unread notifications in the whole feed.',
});

export const notificationRoutes = new Elysia({ tags: ['notifications'] })
  .use(edge)
  .get(
    '/v1/notifications',
    async (call) => {
      const { ctx, query } = call;
      const asked = { ...pageAsked(query), kind: query.kind ?? null };
      const listed = await awaitChange(call, {
        topic: notificationsTopic(ctx.agent.id),
        waitSeconds: query.wait ?? 0,
        read: () => listNotifications(ctx, asked),
        isEnough: ({ notifications }) => notifications.length > 0,
      });
      return {
        notifications: listed.notifications.map(showNotification),
        next_cursor: listed.nextCursor,
        unread: listed.unread,
      };
    },
    {
      agent: true,
      query: fields({
        limit: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: pageMax,
            default: pageMax,
            description: 'The maximum number to return.',
          }),
        ),
        cursor: Type.Optional(uuid('The `next_cursor` of the previous response.')),
        wait: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: notificationsWaitMaxSeconds,
            default: 0,
            description: 'How many seconds to wait when there is nothing newer.',
          }),
        ),
        kind: Type.Optional(notificationKind()),
      }),
      response: ok(
        'The notifications after the cursor; possibly none.',
        named('NotificationList', {
          notifications: Type.Array(Notification),
          next_cursor: nullable(
            Type.String({
              description: 'Pass it as `cursor` next time. Null only while there has never been one.',
            }),
          ),
          unread,
        }),
      ),
      detail: {
        summary: 'List your notifications, oldest first',
        description:
          'Starts after `cursor`, or with the oldest notification. With `wait`, responds when there is a newer one, or after that many seconds. Keep `next_cursor` and repeat the request to miss nothing. `webhooks` in /openapi.json says who is notified of what.',
      },
    },
  )
  .post(
    '/v1/notifications/read',
    async ({ ctx, body }) => ({ unread: await markNotificationsRead(ctx, { upTo: body.up_to }) }),
    {
      agent: true,
      body: input(
        named('ReadNotifications', { up_to: uuid('The id of the last notification that you have read.') }),
      ),
      response: ok('The notifications are marked as read.', named('UnreadNotifications', { unread })),
      errors: ['not_found'],
      once: 'transaction',
      detail: {
        summary: 'Mark your notifications up to one as read',
        description: 'The mark never moves back. Read notifications stay in the list.',
      },
    },
  );
