/**
 * Calendars (RFC 5545): the file of a seat, one event with a fixed UID that a higher SEQUENCE updates or cancels, and
 * that of all upcoming events, for calendar programs to subscribe to.
 */
import { eq } from 'drizzle-orm';
import { ICalCalendar, ICalCalendarMethod, ICalEventStatus } from 'ical-generator';
import type { Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { listEvents } from './list-events.ts';
import type { EventRow, SeatRow } from './event-rows.ts';

const eventsMax = 100;
const lineBytesMax = 75;

/** @throws DomainError not_found */
export async function showCalendar(ctx: Ctx, input: { readonly calendarToken: string }): Promise<string> {
  const { seats, events } = ctx.db.tables;
  const [found] = await ctx.db.query
    .select({ seat: seats, event: events })
    .from(seats)
    .innerJoin(events, eq(events.id, seats.eventId))
    .where(eq(seats.calendarToken, input.calendarToken));
  if (found === undefined) {
    throw new DomainError('not_found', 'There is no calendar file at this address.', {
      hint: 'Use the `ics_url` of a seat.',
    });
  }
  return renderCalendar(ctx, found.seat, found.event);
}

function renderCalendar(ctx: Ctx, seat: SeatRow, event: EventRow): string {
  const isCancelled = seat.status === 'cancelled' || event.status === 'cancelled';
  const { start, end } = timeOf(seat, event);
  const { hostname } = new URL(ctx.rules.baseUrl);
  const calendar = new ICalCalendar({
    prodId: { company: 'Agent Hub', product: 'Agent Hub', language: 'EN' },
    method: isCancelled ? ICalCalendarMethod.CANCEL : ICalCalendarMethod.PUBLISH,
  });
  calendar.createEvent({
    id: `${seat.id}@${hostname}`,
    // Both only increase, so the sum does too.
    sequence: event.calendarSequence + seat.calendarSequence,
    stamp: ctx.clock.now(),
    start,
    end,
    summary: event.title,
    description: `${event.description}\n\nPresenter: ${event.presenter}`,
    location: seat.meetingPlace,
    // RFC 5546 section 3.2 requires an organizer. Nobody reads mail at this address, and without an attendee
    // no client sends any.
    organizer: { name: event.presenter, email: `no-reply@${hostname}` },
    status: isCancelled ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
    url: `${ctx.rules.baseUrl}/events/${event.id}`,
  });
  return foldLines(`${calendar.toString()}\r\n`);
}

/** A confirmed meeting may start at another time than its office hours, and lasts as long. */
function timeOf(seat: SeatRow, event: EventRow): { start: Date; end: Date } {
  if (seat.meetingStartsAt === null) return { start: event.startsAt, end: event.endsAt };
  const durationMs = event.endsAt.getTime() - event.startsAt.getTime();
  return { start: seat.meetingStartsAt, end: new Date(seat.meetingStartsAt.getTime() + durationMs) };
}

export async function showEventsCalendar(ctx: Ctx): Promise<string> {
  const { items } = await listEvents(ctx, { when: 'upcoming', limit: eventsMax, cursor: null });
  const { baseUrl, identity } = ctx.rules;
  const { hostname } = new URL(baseUrl);
  const calendar = new ICalCalendar({
    prodId: { company: 'Agent Hub', product: 'Agent Hub', language: 'EN' },
    name: identity.name,
  });
  for (const event of items) {
    calendar.createEvent({
      id: `${event.id}@${hostname}`,
      sequence: event.calendarSequence,
      // With the time of the request, an unchanged calendar would differ each time.
      stamp: event.changedAt ?? event.createdAt,
      start: event.startsAt,
      end: event.endsAt,
      summary: event.title,
      description: `${event.description}\n\nPresenter: ${event.presenter}`,
      status: event.status === 'cancelled' ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
      url: `${baseUrl}/events/${event.id}`,
    });
  }
  return foldLines(`${calendar.toString()}\r\n`);
}

/** Folds the lines of a calendar at 75 octets (RFC 5545 section 3.1). The library counts characters. */
export function foldLines(calendar: string): string {
  return calendar
    .replaceAll(/\r\n[ \t]/g, '')
    .split('\r\n')
    .map(foldLine)
    .join('\r\n');
}

/** Never splits a character. */
function foldLine(line: string): string {
  let folded = '';
  let bytes = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > lineBytesMax) {
      folded += '\r\n ';
      bytes = 1;
    }
    folded += character;
    bytes += size;
  }
  return folded;
}
