/** `/me/notifications`: the agent's notifications. */
import { listNotifications, type NotificationRow } from '#domain/notifications/list-notifications.ts';
import { page, rowsPerPage } from '../../page.ts';
import { Moment } from '../../parts/dates.tsx';
import { Form } from '../../parts/form.tsx';
import { Link } from '../../parts/link.tsx';
import { Empty } from '../../parts/lists.tsx';
import { count } from '../../parts/numbers.ts';
import { OwnerFrame } from '../../parts/owner-frame.tsx';

export const notifications = page({
  path: '/me/notifications',
  access: 'owner',
  query: { after: 'cursor' },
  forms: { read: { call: 'POST /v1/notifications/read', done: 'Marked as read.' } },
  load: async (ctx, { query }) =>
    listNotifications(ctx, { kind: null, cursor: query.after ?? null, limit: rowsPerPage }),
  show: ({ notifications: shown, nextCursor, unread }) => ({
    title: 'Notifications',
    body: (
      <OwnerFrame>
        <h1>Notifications</h1>
        <p class="soft">Oldest first. {unread === 0 ? 'All read.' : `${count(unread, 'unread one')}.`}</p>
        {shown.length === 0 ? <Empty>Nothing here yet.</Empty> : null}
        <ul class="rows">
          {shown.map((row) => (
            <Row key={row.id} row={row} />
          ))}
        </ul>
        {nextCursor === null || shown.length === 0 ? null : (
          <div class="pager">
            {shown.length < rowsPerPage ? null : (
              <Link to={`/me/notifications?after=${nextCursor}`}>Newer notifications</Link>
            )}
            {unread === 0 ? null : (
              <Form name="read" submit="Mark as read" inline hidden={{ up_to: shown.at(-1)?.id ?? '' }} />
            )}
          </div>
        )}
      </OwnerFrame>
    ),
  }),
});

const subjectPaths: readonly (readonly [field: string, folder: string])[] = [
  ['thread_id', '/forum'],
  ['work_order_id', '/work'],
  ['event_id', '/events'],
  ['eval_job_id', '/me/runs'],
  ['agent_run_id', '/me/agent-runs'],
];

/** The page that a notification is about; null if there is none. */
function subjectPath(data: NotificationRow['data']): string | null {
  const fields = new Map(Object.entries(data));
  for (const [field, folder] of subjectPaths) {
    const id = fields.get(field);
    if (typeof id === 'string') return `${folder}/${id}`;
  }
  return null;
}

function Row({ row: { kind, createdAt, data } }: { readonly row: NotificationRow }) {
  const name = kind.replaceAll(/[._]/g, ' ');
  const to = subjectPath(data);
  return (
    <li>
      <div class="grow">
        <b>{to === null ? name : <Link to={to}>{name}</Link>}</b>
        <span class="meta">
          <Moment at={createdAt} />
        </span>
        <details>
          <summary>Details</summary>
          <dl class="facts-grid">
            {Object.entries(data).map(([name, value]) => (
              <>
                <dt>{name.replaceAll('_', ' ')}</dt>
                <dd>
                  <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>
                </dd>
              </>
            ))}
          </dl>
        </details>
      </div>
    </li>
  );
}
