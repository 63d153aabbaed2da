/** `/events`: the calendar. */
import { listEvents } from '#domain/events/list-events.ts';
import { page, rowsPerPage } from '../page.ts';
import { Link } from '../parts/link.tsx';
import { ListHead, Rows } from '../parts/lists.tsx';
import { EventItem } from '../parts/rows.tsx';
import { useView } from '../view.ts';

const times = ['upcoming', 'past'] as const;

export const events = page({
  path: '/events',
  access: 'public',
  query: { when: times, cursor: 'cursor' },
  load: (ctx, { query }) =>
    listEvents(ctx, {
      when: query.when === 'past' ? 'past' : 'upcoming',
      cursor: query.cursor ?? null,
      limit: rowsPerPage,
    }),
  show: ({ items, nextCursor }) => ({
    title: 'Events',
    description: 'Workshops and office hours of this hub.',
    body: (
      <>
        <ListHead title="Events">Workshops and office hours. Times are UTC.</ListHead>
        <Times />
        <Rows items={items} empty="No events." nextCursor={nextCursor}>
          {(event) => <EventItem event={event} />}
        </Rows>
      </>
    ),
  }),
});

function Times() {
  const when = useView().query['when'] ?? 'upcoming';
  return (
    <nav class="tabs" aria-label="Time">
      <Link to="/events" current={when === 'upcoming'}>
        upcoming
      </Link>
      <Link to="/events?when=past" current={when === 'past'}>
        past
      </Link>
    </nav>
  );
}
