/** `/desk/inbox`: received mail as plain text. Nothing in it is rendered, linked or loaded. */
import { inboxStatuses } from '#db/schema/mail-tables.ts';
import { countWaiting } from '#domain/admin/hub-state.ts';
import { listEmails } from '#domain/inbox/list-emails.ts';
import { page, rowsPerPage } from '../../page.ts';
import { Moment } from '../../parts/dates.tsx';
import { Fact } from '../../parts/fact.tsx';
import { ListHead, Rows } from '../../parts/lists.tsx';
import { DeskFrame } from '../../parts/owner-frame.tsx';
import { statusOf, statusRule, StatusTabs } from '../../parts/waiting.tsx';

export const deskInbox = page({
  path: '/desk/inbox',
  access: 'maintainer',
  query: { status: statusRule(inboxStatuses), cursor: 'cursor' },
  load: async (ctx, { query }) => {
    const status = statusOf(inboxStatuses, query.status);
    const [emails, waiting] = await Promise.all([
      listEmails(ctx, { status, cursor: query.cursor ?? null, limit: rowsPerPage }),
      countWaiting(ctx),
    ]);
    return { ...emails, waiting: waiting.emails };
  },
  show: ({ items, nextCursor, waiting }) => ({
    title: 'Inbox',
    body: (
      <DeskFrame>
        <ListHead title="Inbox">Newest first. Senders are not verified. Attachments are not kept.</ListHead>
        <StatusTabs statuses={inboxStatuses} waiting={waiting} />
        <Rows items={items} empty="No such mail." nextCursor={nextCursor}>
          {({ subject, sender, recipients, text, status, receivedAt, attachments }) => (
            <li>
              <details class="grow">
                <summary>
                  <span class="title">{subject === '' ? '(no subject)' : subject}</span>
                  <span class="meta">
                    {sender} · <Moment at={receivedAt} />
                  </span>
                </summary>
                <dl class="facts-grid">
                  <Fact name="To">{recipients}</Fact>
                  <Fact name="Attachments">{attachments.length === 0 ? 'none' : attachments.length}</Fact>
                </dl>
                <pre class="wrap spaced-small" tabIndex={0}>
                  {text}
                </pre>
              </details>
              <span class={`chip ${status === 'new' ? 'warn' : ''}`}>{status}</span>
            </li>
          )}
        </Rows>
      </DeskFrame>
    ),
  }),
});
