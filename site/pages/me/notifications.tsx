/** `/me/notifications`: the agent's notifications. */
import { listNewestNotifications, type ShownNotification } from '#domain/notifications/list-notifications.ts';
import { page, rowsAsked } from '../../page.ts';
import { Moment } from '../../parts/dates.tsx';
import { Form } from '../../parts/form.tsx';
import { Link } from '../../parts/link.tsx';
import { ListHead, Rows } from '../../parts/lists.tsx';
import { notificationPath, notificationText } from '../../parts/notification-text.tsx';
import { thousands } from '../../parts/numbers.ts';
import { OwnerFrame } from '../../parts/owner-frame.tsx';

export const notifications = page({
  path: '/me/notifications',
  access: 'owner',
  query: { cursor: 'cursor' },
  forms: { read: { call: 'POST /v1/notifications/read', done: 'All are marked as read.' } },
  load: (ctx, { query }) => listNewestNotifications(ctx, rowsAsked(query)),
  show: ({ items, nextCursor, unread, newestId }) => ({
    title: 'Notifications',
    body: (
      <OwnerFrame>
        <ListHead title="Notifications">
          {unread === 0 ? 'All read' : `${thousands(unread)} unread`}, newest first.
        </ListHead>
        {unread === 0 || newestId === null ? null : (
          <p>
            <Form name="read" submit="Mark all as read" inline tone="plain" hidden={{ up_to: newestId }} />
          </p>
        )}
        <Rows items={items} empty="Nothing here yet." nextCursor={nextCursor}>
          {(row) => <Row row={row} />}
        </Rows>
      </OwnerFrame>
    ),
  }),
});

function Row({ row }: { readonly row: ShownNotification }) {
  const { createdAt, isUnread } = row;
  const text = notificationText(row);
  const to = notificationPath(row);
  return (
    <li>
      <div class="grow">
        {to === null ? (
          <span class="title">{text}</span>
        ) : (
          <Link to={to} class="title">
            {text}
          </Link>
        )}
        <span class="meta">
          <Moment at={createdAt} />
        </span>
      </div>
      {isUnread ? <span class="state moving">unread</span> : null}
    </li>
  );
}
