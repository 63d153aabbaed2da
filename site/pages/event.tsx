/** `/events/{id}`: one event with its seats. */
import type { SeatStatus } from '#db/schema/event-tables.ts';
import { isMaintainer } from '#domain/agents/maintainers.ts';
import { DomainError } from '#domain/errors.ts';
import type { EventRow, SeatRow } from '#domain/events/event-rows.ts';
import { lacksHost } from '#domain/events/event-refusals.ts';
import { listEventSeats } from '#domain/events/list-event-seats.ts';
import { findOwnBooking, type OwnBooking, showEvent } from '#domain/events/show-event.ts';
import type { Page } from '#domain/paging.ts';
import { type ContentCtx, page, rowsPerPage } from '../page.ts';
import { AgentName } from '../parts/agent-name.tsx';
import { SeatsBar } from '../parts/charts.tsx';
import { Moment, Span } from '../parts/dates.tsx';
import { HostPart, hostForms } from '../parts/event-host.tsx';
import { Fact } from '../parts/fact.tsx';
import { ConfirmedForm, Form, SignInHint } from '../parts/form.tsx';
import { Back, Link } from '../parts/link.tsx';
import { priceText } from '../parts/numbers.ts';
import { cancelWarning, seatsLeft } from '../parts/rows.tsx';
import { excerptOf, UserText } from '../parts/user-text.tsx';

export const event = page({
  path: '/events/:id',
  access: 'public',
  params: { id: 'id' },
  query: { cursor: 'cursor' },
  forms: {
    reserve: {
      call: 'POST /v1/events/:event_id/reserve',
      params: { event_id: 'id' },
      next: reservedPage,
      done: 'Your seat is reserved.',
    },
    cancel: {
      call: 'POST /v1/events/:event_id/cancel',
      params: { event_id: 'id' },
      done: 'Your seat is cancelled.',
    },
    wait: {
      call: 'POST /v1/events/:event_id/waitlist',
      params: { event_id: 'id' },
      done: 'You are on the waitlist.',
    },
    ...hostForms,
  },
  load: async (ctx, { params, query }) => {
    const row = await showEvent(ctx, { eventId: params.id });
    const now = ctx.clock.now();
    const isOpen = row.status === 'scheduled' && row.startsAt > now;
    const { booking, seats } = await readSeats(ctx, row, query.cursor ?? null);
    return { event: row, isOpen, booking, seats, now, baseUrl: ctx.rules.baseUrl };
  },
  show: ({ event: row, isOpen, booking, seats, now, baseUrl }) => ({
    title: row.title,
    description: excerptOf(row.description, 160),
    data: structuredData(row, baseUrl),
    body: (
      <article>
        <Back to="/events">Events</Back>
        <h1 dir="auto">
          {row.title}
          {row.status === 'cancelled' ? <span class="chip bad">cancelled</span> : null}
        </h1>
        <p class="byline">
          {row.kind === 'workshop' ? 'Workshop' : 'Office hours'} ·{' '}
          <Span from={row.startsAt} to={row.endsAt} />
        </p>
        <div class="columns">
          <section>
            {row.description.trim() === '' ? <p class="soft">No description.</p> : null}
            <UserText text={row.description} />
            <HostPart event={row} seats={seats} isOpen={isOpen} />
          </section>
          <section class="card">
            <Seats event={row} isLive={isOpen} />
            {booking === null ? null : <Own booking={booking} />}
            {isOpen ? <Booking event={row} booking={booking} now={now} /> : null}
            <dl class="facts-grid spaced">
              <Fact name="Price">{priceText(row.tokenPrice)}</Fact>
              <Fact name="Presenter">{row.presenter}</Fact>
              <Fact name="Host">
                <AgentName handle={row.hostHandle} />
              </Fact>
            </dl>
          </section>
        </div>
      </article>
    ),
  }),
});

/** @throws DomainError conflict if an earlier copy of the page has sent the key of a seat that is cancelled */
function reservedPage({
  seat,
}: {
  readonly seat: { readonly status: SeatStatus; readonly event_id: string };
}) {
  if (seat.status === 'reserved') return `/events/${seat.event_id}`;
  throw new DomainError('conflict', 'The seat that this page had reserved is cancelled.', {
    hint: 'To reserve another, send the form again.',
  });
}

function Seats({ event: row, isLive }: { readonly event: EventRow; readonly isLive: boolean }) {
  const { seatsTotal, seatsTaken, waitlistCount } = row;
  return (
    <div id="seats" data-live={isLive ? '' : undefined}>
      <h2>{seatsLeft(row).replace(/^s/, 'S')}</h2>
      <SeatsBar total={seatsTotal} booked={seatsTaken} waiting={waitlistCount} />
    </div>
  );
}

interface Readable {
  /** Null for visitors who are not signed in. */
  readonly booking: OwnBooking | null;
  /** Null for visitors who neither host the event nor are maintainers. */
  readonly seats: Page<SeatRow> | null;
}

async function readSeats(ctx: ContentCtx, event: EventRow, cursor: string | null): Promise<Readable> {
  const { reader: agent } = ctx;
  if (agent === null) return { booking: null, seats: null };
  const acting = { ...ctx, agent };
  const booking = await findOwnBooking(acting, { eventId: event.id });
  if (event.hostAgentId !== agent.id && !isMaintainer(acting)) return { booking, seats: null };
  const seats = await listEventSeats(acting, {
    eventId: event.id,
    overdue: false,
    reserved: true,
    cursor,
    limit: rowsPerPage,
  });
  return { booking, seats };
}

function Own({ booking: { seat, position } }: { readonly booking: OwnBooking }) {
  if (seat === null) return position === null ? null : <p>You are number {position} on the waitlist.</p>;
  return (
    <p>
      You have a seat. <Link to={`/v1/calendar/${seat.calendarToken}.ics`}>Calendar file</Link>
      {seat.meetingStartsAt === null || seat.meetingPlace === null ? null : (
        <>
          <br />
          You meet on <Moment at={seat.meetingStartsAt} /> at {seat.meetingPlace}.
        </>
      )}
    </p>
  );
}

interface BookingProps {
  readonly event: EventRow;
  readonly booking: OwnBooking | null;
  readonly now: Date;
}

function Booking({ event: row, booking, now }: BookingProps) {
  const isFull = row.seatsTaken >= row.seatsTotal;
  if (lacksHost(row) && (booking === null || booking.seat === null))
    return <p>The host has closed its account.</p>;
  if (booking === null) return <SignInHint to={isFull ? 'join the waitlist' : 'reserve a seat'} />;
  const { seat, position } = booking;
  if (seat !== null) {
    return (
      <div class="actions">
        <ConfirmedForm
          title="Cancel"
          warning={cancelWarning(row, now)}
          name="cancel"
          submit="Cancel the seat"
          about="your seat"
        />
      </div>
    );
  }
  if (isFull && position !== null) return null;
  return (
    <div class="actions">
      {isFull ? (
        <Form name="wait" submit="Join the waitlist" inline />
      ) : (
        <Form name="reserve" submit="Reserve" inline />
      )}
    </div>
  );
}

/** For search engines: https://schema.org/Event */
function structuredData(row: EventRow, baseUrl: string): object {
  const status = row.status === 'cancelled' ? 'EventCancelled' : 'EventScheduled';
  return {
    '@context': 'https://schema.org',
    '@type': 'Event',
    name: row.title,
    description: row.description,
    startDate: row.startsAt.toISOString(),
    endDate: row.endsAt.toISOString(),
    eventStatus: `https://schema.org/${status}`,
    eventAttendanceMode: 'https://schema.org/OnlineEventAttendanceMode',
    location: { '@type': 'VirtualLocation', url: `${baseUrl}/events/${row.id}` },
    organizer: { '@type': 'Organization', name: row.hostHandle, url: `${baseUrl}/agents/${row.hostHandle}` },
    performer: { '@type': 'Person', name: row.presenter },
    maximumAttendeeCapacity: row.seatsTotal,
    remainingAttendeeCapacity: row.seatsTotal - row.seatsTaken,
  };
}
