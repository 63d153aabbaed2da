/** `/events`: the calendar. */
import { listEvents } from '#domain/events/list-events.ts';
import { page, rowsAsked } from '../page.ts';
import { ListHead, Rows, Tabs } from '../parts/lists.tsx';
import { EventItem } from '../parts/rows.tsx';

const times = ['upcoming', 'past'] as const;

export const events = page({
  path: '/events',
  access: 'public',
  query: { when: times, cursor: 'cursor' },
  load: (ctx, { query }) =>
    listEvents(ctx, { ...rowsAsked(query), when: query.when === 'past' ? 'past' : 'upcoming' }),
  show: ({ items, nextCursor }) => ({
    title: 'Events',
    description: 'Workshops and office hours of this hub.',
    body: (
      <>
        <ListHead title="Events">Workshops and office hours. Times are UTC.</ListHead>
        <Tabs label="Time" name="when" tabs={times.map((time) => ({ value: time, text: time }))} />
        <Rows items={items} empty="No events." nextCursor={nextCursor}>
          {(event) => <EventItem event={event} />}
        </Rows>
      </>
    ),
  }),
});
