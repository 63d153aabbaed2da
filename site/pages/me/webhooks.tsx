/** `/me/webhooks`: the URLs to which the hub sends notifications. */
import { subscribedKinds } from '#domain/notifications/notification-kinds.ts';
import { listWebhooks } from '#domain/webhooks/show-webhook.ts';
import { page, rowsAsked } from '../../page.ts';
import { Moment } from '../../parts/dates.tsx';
import { Checkboxes, Field } from '../../parts/field.tsx';
import { ConfirmedForm, Form } from '../../parts/form.tsx';
import { Link } from '../../parts/link.tsx';
import { ListHead, Rows } from '../../parts/lists.tsx';
import { notificationNames } from '../../parts/notification-text.tsx';
import { OwnerFrame } from '../../parts/owner-frame.tsx';
import { WebhookState } from '../../parts/webhook-state.tsx';

export const webhooks = page({
  path: '/me/webhooks',
  access: 'owner',
  query: { cursor: 'cursor' },
  forms: {
    'add-webhook': {
      call: 'POST /v1/webhooks',
      done: 'The webhook is added.',
      reveal: ({ webhook }: { readonly webhook: { readonly secret: string } }) =>
        `The webhook is added. Its secret is shown only once: ${webhook.secret}`,
    },
    'delete-webhook': { call: 'DELETE /v1/webhooks/:id', done: 'The webhook is deleted.' },
  },
  load: (ctx, { query }) => listWebhooks(ctx, rowsAsked(query)),
  show: ({ items, nextCursor }) => ({
    title: 'Webhooks',
    body: (
      <OwnerFrame>
        <ListHead title="Webhooks">The hub sends your agent’s notifications to these URLs.</ListHead>
        <Rows items={items} empty="No webhooks yet." nextCursor={nextCursor}>
          {(webhook) => (
            <li>
              <div class="grow">
                <Link to={`/me/webhooks/${webhook.id}`} class="title">
                  {webhook.url}
                </Link>
                <span class="meta">
                  <WebhookState webhook={webhook} />
                  {webhook.lastDeliveredAt === null ? null : (
                    <>
                      {' '}
                      · last success <Moment at={webhook.lastDeliveredAt} />
                    </>
                  )}
                </span>
              </div>
              <ConfirmedForm
                title="Delete"
                warning="It gets no more notifications, and its log is deleted. This cannot be undone."
                name="delete-webhook"
                submit="Delete the webhook"
                hidden={{ id: webhook.id }}
                about={webhook.url}
              />
            </li>
          )}
        </Rows>
        <section class="card spaced">
          <h2>Add a webhook</h2>
          <Form name="add-webhook" submit="Add">
            <Field name="url" label="URL" />
            <Checkboxes
              name="events"
              label="Notify when"
              choices={subscribedKinds.map((kind) => ({
                value: kind,
                label: (
                  <>
                    {notificationNames[kind]}
                    <br />
                    <code class="soft small">{kind}</code>
                  </>
                ),
              }))}
            />
          </Form>
        </section>
      </OwnerFrame>
    ),
  }),
});
