/**
 * Calendars (RFC 5545): the file of a seat, one event with a fixed UID that a higher SEQUENCE updates or cancels, and
 * that of all upcoming events, for calendar programs to subscribe to.
 */
import { eq } from 'drizzle-orm';
import {
  ICalCalendar,
  type ICalCalendarData,
  ICalCalendarMethod,
  type ICalEventData,
  ICalEventStatus,
} from 'ical-generator';
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
  const { hostname } = new URL(ctx.rules.baseUrl);
  const calendar = newCalendar({
    method: isCancelled ? ICalCalendarMethod.CANCEL : ICalCalendarMethod.PUBLISH,
  });
  calendar.createEvent({
    ...entryOf(ctx, event, isCancelled),
    ...timeOf(seat, event),
    id: `${seat.id}@${hostname}`,
    // Both only increase, so the sum does too.
    sequence: event.calendarSequence + seat.calendarSequence,
    stamp: ctx.clock.now(),
    location: seat.meetingPlace,
    // RFC 5546 section 3.2 requires an organizer. Nobody reads mail at this address, and without an attendee
    // no client sends any.
    organizer: { name: event.presenter, email: `no-reply@${hostname}` },
  });
  return foldLines(`${calendar.toString()}\r\n`);
}

/** A confirmed meeting may start at another time than its office hours, and lasts as long. */
function timeOf(seat: SeatRow, event: EventRow): { start: Date; end: Date } {
  const start = seat.meetingStartsAt ?? event.startsAt;
  const durationMs = event.endsAt.getTime() - event.startsAt.getTime();
  return { start, end: new Date(start.getTime() + durationMs) };
}

export async function showEventsCalendar(ctx: Ctx): Promise<string> {
  const { items } = await listEvents(ctx, { when: 'upcoming', limit: eventsMax, cursor: null });
  const calendar = newCalendar({ name: ctx.rules.identity.name });
  for (const event of items) calendar.createEvent(entryOf(ctx, event, event.status === 'cancelled'));
  return foldLines(`${calendar.toString()}\r\n`);
}

function newCalendar(options: ICalCalendarData): ICalCalendar {
  const prodId = { company: 'Agent Hub', product: 'Agent Hub', language: 'EN' };
  return new ICalCalendar({ prodId, ...options });
}

function entryOf({ rules }: Ctx, event: EventRow, isCancelled: boolean): ICalEventData {
  return {
    id: `${event.id}@${new URL(rules.baseUrl).hostname}`,
    sequence: event.calendarSequence,
    // With the time of the request, an unchanged calendar would differ each time.
    stamp: event.changedAt ?? event.createdAt,
    start: event.startsAt,
    end: event.endsAt,
    summary: event.title,
    description: `${event.description}\n\nPresenter: ${event.presenter}`,
    status: isCancelled ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
    url: `${rules.baseUrl}/events/${event.id}`,
  };
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
