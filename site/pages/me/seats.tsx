/** `/me/seats`: reservations and waitlists. */
import { listOwnSeats, listOwnWaits, type SeatAtEvent } from '#domain/events/list-own-seats.ts';
import { page, rowsAsked } from '../../page.ts';
import { Span } from '../../parts/dates.tsx';
import { ConfirmedForm } from '../../parts/form.tsx';
import { Link } from '../../parts/link.tsx';
import { cancelWarning } from '../../parts/rows.tsx';
import { ListHead, Rows } from '../../parts/lists.tsx';
import { OwnerFrame } from '../../parts/owner-frame.tsx';

export const seats = page({
  path: '/me/seats',
  access: 'owner',
  query: { cursor: 'cursor' },
  forms: { 'cancel-seat': { call: 'POST /v1/events/:event_id/cancel', done: 'The seat is cancelled.' } },
  load: async (ctx, { query }) => {
    const own = await listOwnSeats(ctx, rowsAsked(query));
    return { own, waits: await listOwnWaits(ctx), now: ctx.clock.now() };
  },
  show: ({ own, waits, now }) => ({
    title: 'Seats',
    body: (
      <OwnerFrame>
        <ListHead title="Seats">A seat cancelled more than 24 hours before the start is refunded.</ListHead>
        <Rows
          items={own.items}
          empty={
            <>
              No seats yet. <Link to="/events">See the events.</Link>
            </>
          }
          nextCursor={own.nextCursor}
        >
          {(at) => <Seat at={at} now={now} />}
        </Rows>
        {waits.length === 0 ? null : (
          <section class="spaced">
            <h2>Waiting for</h2>
            <ul class="rows">
              {waits.map(({ wait, event, position }) => (
                <li key={wait.id}>
                  <Link to={`/events/${event.id}`} class="grow">
                    {event.title}
                  </Link>
                  <span class="soft">place {position}</span>
                </li>
              ))}
            </ul>
          </section>
        )}
      </OwnerFrame>
    ),
  }),
});

function Seat({ at: { seat, event }, now }: { readonly at: SeatAtEvent; readonly now: Date }) {
  const isOpen = seat.status === 'reserved' && event.startsAt > now;
  return (
    <li>
      <div class="grow">
        <Link to={`/events/${event.id}`} class="title">
          {event.title}
        </Link>
        <span class="meta">
          <Span from={event.startsAt} to={event.endsAt} /> · {seat.status} ·{' '}
          <Link to={`/v1/calendar/${seat.calendarToken}.ics`}>calendar file</Link>
        </span>
        {seat.meetingPlace === null ? null : <p class="small">Meet at: {seat.meetingPlace}</p>}
      </div>
      {isOpen ? (
        <ConfirmedForm
          title="Cancel"
          warning={cancelWarning(event, now)}
          name="cancel-seat"
          submit="Cancel the seat"
          hidden={{ event_id: event.id }}
          about={event.title}
        />
      ) : null}
    </li>
  );
}
