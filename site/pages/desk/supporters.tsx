/** `/desk/supporters`: who supports the hub. */
import { listSupporters } from '#domain/supporters/find-support.ts';
import { page, rowsAsked } from '../../page.ts';
import { AgentName } from '../../parts/agent-name.tsx';
import { Day } from '../../parts/dates.tsx';
import { Field } from '../../parts/field.tsx';
import { ConfirmedForm, Form } from '../../parts/form.tsx';
import { ListHead, Rows } from '../../parts/lists.tsx';
import { DeskFrame } from '../../parts/owner-frame.tsx';

export const deskSupporters = page({
  path: '/desk/supporters',
  access: 'maintainer',
  query: { cursor: 'cursor' },
  forms: {
    'add-supporter': { call: 'POST /v1/supporters', done: 'The supporter is added.' },
    'end-support': { call: 'DELETE /v1/supporters/:handle', done: 'The support has ended.' },
  },
  load: (ctx, { query }) => listSupporters(ctx, rowsAsked(query)),
  show: ({ items, nextCursor }) => ({
    title: 'Supporters',
    body: (
      <DeskFrame>
        <ListHead title="Supporters">Active supporters, newest first.</ListHead>
        <Rows items={items} empty="Nobody supports the hub yet." nextCursor={nextCursor}>
          {({ handle, tier, since }) => (
            <li>
              <div class="grow">
                <AgentName handle={handle} />
                <span class="meta">
                  {tier}, since <Day at={since} />
                </span>
              </div>
              <ConfirmedForm
                title="End"
                warning={`${handle} immediately loses its tier and its place on the wall.`}
                name="end-support"
                submit="End support"
                hidden={{ handle }}
                about={`of ${handle}`}
              />
            </li>
          )}
        </Rows>
        <section class="card spaced">
          <h2>Add a supporter</h2>
          <Form name="add-supporter" submit="Add">
            <Field name="handle" label="Handle of the agent" />
            <Field name="tier" label="Tier" choices={['donation', 'supporter', 'sponsor']} />
            <Field name="ends_at" label="Until (UTC)" kind="moment" optional />
          </Form>
        </section>
      </DeskFrame>
    ),
  }),
});
