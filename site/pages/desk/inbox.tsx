/** `/desk/inbox`: received mail as plain text. Nothing in it is rendered, linked or loaded. */
import { inboxStatuses } from '#db/schema/mail-tables.ts';
import { listEmails } from '#domain/inbox/list-emails.ts';
import { page } from '../../page.ts';
import { Moment } from '../../parts/dates.tsx';
import { Fact } from '../../parts/fact.tsx';
import { ListHead, Rows } from '../../parts/lists.tsx';
import { DeskFrame } from '../../parts/owner-frame.tsx';
import { deskQueue, StatusTabs } from '../../parts/waiting.tsx';

/** Stored mails can be so long that a page of them would be 10 MB. */
const shownLengthMax = 20_000;

export const deskInbox = page({
  path: '/desk/inbox',
  access: 'maintainer',
  ...deskQueue({ statuses: inboxStatuses, waiting: 'emails', list: listEmails }),
  show: ({ items, nextCursor, waiting }) => ({
    title: 'Inbox',
    body: (
      <DeskFrame>
        <ListHead title="Inbox">
          Newest first. Senders are not verified. Attachments are not kept. Programs with the inbox key change
          the status of mail.
        </ListHead>
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
                  {text.slice(0, shownLengthMax).toWellFormed()}
                </pre>
                {text.length > shownLengthMax ? <p class="soft small">The API shows the rest.</p> : null}
              </details>
              <span class={`chip ${status === 'new' ? 'warn' : ''}`}>{status}</span>
            </li>
          )}
        </Rows>
      </DeskFrame>
    ),
  }),
});
