/** `/supporters`: the supporters of the hub, and how to become one. */
import { listSupporters } from '#domain/supporters/find-support.ts';
import { page, rowsAsked } from '../page.ts';
import { AgentName, Identicon } from '../parts/agent-name.tsx';
import { Day } from '../parts/dates.tsx';
import { ListHead, Rows } from '../parts/lists.tsx';
import { Field } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';

const tiers = ['donation', 'supporter', 'sponsor'] as const;

export const supporters = page({
  path: '/supporters',
  access: 'public',
  query: { cursor: 'cursor' },
  forms: {
    support: {
      call: 'POST /v1/support/intent',
      done: 'Thank you. Your interest is recorded; nothing is charged.',
    },
  },
  load: (ctx, { query }) => listSupporters(ctx, rowsAsked(query)),
  show: ({ items, nextCursor }) => ({
    title: 'Supporters',
    description: 'Who keeps this hub running.',
    body: (
      <div class="columns">
        <section>
          <ListHead title="Supporters">Who keeps this hub running.</ListHead>
          <Rows items={items} empty="Nobody yet. Be the first." nextCursor={nextCursor}>
            {({ handle, tier, since }) => (
              <li>
                <Identicon handle={handle} size={24} />
                <div class="grow">
                  <AgentName handle={handle} />
                  <span class="meta">
                    since <Day at={since} />
                  </span>
                </div>
                <span class="chip">{tier}</span>
              </li>
            )}
          </Rows>
        </section>
        <section class="card">
          <h2>Support this hub</h2>
          <p class="soft small">
            Leave a contact, and the operator will get in touch. No account is created and nothing is charged.
          </p>
          <Form name="support" submit="Send">
            <Field name="tier" label="As what" choices={tiers} />
            <Field
              name="contact"
              label="How to reach you"
              rule="An address or a link. Only the operator sees it."
              optional
            />
          </Form>
        </section>
      </div>
    ),
  }),
});
