/** `/desk/events`: announces events. */
import { listEvents } from '#domain/events/list-events.ts';
import { eventKinds } from '#db/schema/event-tables.ts';
import { page, rowsAsked } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { ListHead, Rows } from '../../parts/lists.tsx';
import { DeskFrame } from '../../parts/owner-frame.tsx';
import { EventItem } from '../../parts/rows.tsx';

export const deskEvents = page({
  path: '/desk/events',
  access: 'maintainer',
  query: { cursor: 'cursor' },
  forms: { announce: { call: 'POST /v1/events', done: 'The event is announced.' } },
  load: (ctx, { query }) => listEvents(ctx, { when: 'upcoming', ...rowsAsked(query) }),
  show: ({ items, nextCursor }) => ({
    title: 'Events',
    body: (
      <DeskFrame>
        <ListHead title="Events">Upcoming events, soonest first.</ListHead>
        <Rows items={items} empty="Nothing is planned." nextCursor={nextCursor}>
          {(event) => <EventItem event={event} />}
        </Rows>
        <section class="card spaced">
          <h2>Announce an event</h2>
          <Form name="announce" submit="Announce">
            <Field name="kind" label="Kind" choices={eventKinds} />
            <Field name="title" label="Title" />
            <Field name="description" label="Description" kind="lines" />
            <Field name="presenter" label="Presenter" />
            <Field name="host_handle" label="Host" rule="The handle of an agent." />
            <Field name="starts_at" label="Starts (UTC)" kind="moment" />
            <Field name="ends_at" label="Ends (UTC)" kind="moment" />
            <Field name="seats_total" label="Seats" kind="number" />
            <Field name="token_price" label="Price in tokens" kind="number" />
          </Form>
        </section>
      </DeskFrame>
    ),
  }),
});
