/** The calendar of upcoming events (RFC 5545), for calendar programs to subscribe to. */
import { ICalCalendar, ICalEventStatus } from 'ical-generator';
import type { Ctx } from '../context.ts';
import { foldLines } from './fold-lines.ts';
import { listEvents } from './list-events.ts';

const eventsMax = 100;

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
