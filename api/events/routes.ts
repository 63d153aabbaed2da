/** Events with live seat counts. Maintainers create, change and cancel them. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import type { EventChanges } from '#domain/events/commands/change-event.ts';
import { createEvent, findHost } from '#domain/events/create-event.ts';
import { listEvents } from '#domain/events/list-events.ts';
import { showCalendar } from '#domain/events/show-calendar.ts';
import { showEvent as readEvent } from '#domain/events/show-event.ts';
import { respond } from '../endpoint.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import { askEvent } from './ask-event.ts';
import { Event, EventChangesRequest, eventKey, EventRequest, EventResponse, showEvent } from './model.ts';
import { listedInDemo, oneOf, paging, patterned, readInstant } from '../schemas.ts';
import { created, edge, fields, input, ok, replies } from '../plugins/edge.ts';

const extension = '.ics';

export const eventRoutes = new Elysia({ tags: ['events'] })
  .use(edge)
  .get(
    '/v1/events',
    async ({ ctx, query, request }) => {
      const page = await listEvents(ctx, {
        when: query.when ?? 'upcoming',
        ...pageAsked(query),
      });
      return pageResponse(request, page, { events: page.items.map(showEvent) });
    },
    {
      anyone: true,
      query: fields({
        ...paging(),
        when: Type.Optional(oneOf(['upcoming', 'past'], { default: 'upcoming' })),
      }),
      response: ok('A page of events.', listedInDemo('EventList', { events: Event })),
      detail: {
        summary: 'List events',
        description:
          '`upcoming` lists events that have not ended, soonest first; `past` the others, latest first. Cancelled ones are included.',
      },
    },
  )
  .get(
    '/v1/events/:event_id',
    async ({ ctx, params }) => ({
      event: showEvent(await readEvent(ctx, { eventId: params.event_id })),
    }),
    {
      anyone: true,
      params: input(eventKey),
      response: ok('The event with its current seat counts.', EventResponse),
      errors: ['event_not_found'],
      detail: { summary: 'Get an event' },
    },
  )
  .post(
    '/v1/events',
    async ({ ctx, body }) => {
      const event = await createEvent(ctx, {
        kind: body.kind,
        title: body.title,
        description: body.description,
        presenter: body.presenter,
        hostHandle: body.host_handle ?? null,
        startsAt: readInstant('starts_at', body.starts_at),
        endsAt: readInstant('ends_at', body.ends_at),
        seatsTotal: body.seats_total,
        tokenPrice: body.token_price,
      });
      return respond(201, { event: showEvent(event) });
    },
    {
      maintainer: true,
      body: input(EventRequest),
      response: created('Announced.', EventResponse),
      errors: ['unknown_agent'],
      once: 'transaction',
      detail: {
        summary: 'Create an event',
        description: 'Office hours are 1:1: create one event with one seat for each slot.',
      },
    },
  )
  .patch(
    '/v1/events/:event_id',
    async ({ ctx, deps, params, body }) => {
      const { host_handle, starts_at, ends_at, seats_total, token_price, ...others } = body;
      const changes: EventChanges = {
        ...others,
        ...(host_handle === undefined ? {} : { host: await findHost(ctx, host_handle) }),
        ...(starts_at === undefined ? {} : { startsAt: readInstant('starts_at', starts_at) }),
        ...(ends_at === undefined ? {} : { endsAt: readInstant('ends_at', ends_at) }),
        ...(seats_total === undefined ? {} : { seatsTotal: seats_total }),
        ...(token_price === undefined ? {} : { tokenPrice: token_price }),
      };
      const { event } = await askEvent({ ctx, deps, params }, { kind: 'change-event', changes });
      return { event: showEvent(event) };
    },
    {
      maintainer: true,
      params: input(eventKey),
      body: input(EventChangesRequest),
      response: ok('The updated event.', EventResponse),
      errors: ['event_not_found', 'event_cancelled', 'seats_taken', 'unknown_agent', 'queue_unavailable'],
      detail: {
        summary: 'Change an event',
        description:
          'Omitted fields stay unchanged. A new price applies to new reservations only. If the times change, the agents with seats are notified.',
      },
    },
  )
  .delete(
    '/v1/events/:event_id',
    async (call) => {
      const { event } = await askEvent(call, { kind: 'cancel-event' });
      return { event: showEvent(event) };
    },
    {
      maintainer: true,
      params: input(eventKey),
      response: ok('The cancelled event.', EventResponse),
      errors: ['event_not_found', 'queue_unavailable'],
      detail: {
        summary: 'Cancel an event',
        description: 'Every seat is refunded in full, once. Cancelling again changes nothing.',
      },
    },
  )
  .get(
    '/v1/calendar/:file',
    async ({ ctx, params }) => {
      const calendarToken = params.file.slice(0, -extension.length);
      return new Response(await showCalendar(ctx, { calendarToken }), {
        headers: { 'content-type': 'text/calendar; charset=utf-8' },
      });
    },
    {
      anyone: true,
      params: fields({
        file: patterned(String.raw`^[A-Za-z0-9_-]{24}\.ics$`, 'be the file name in `ics_url`', {
          description: 'The file name in `ics_url`.',
        }),
      }),
      response: replies({ 200: { description: 'The calendar file.', contentType: 'text/calendar' } }),
      errors: ['not_found'],
      detail: {
        summary: 'Get the calendar file of a seat',
        description:
          'iCalendar (RFC 5545). Needs no token, because the URL (`ics_url` of the seat) cannot be guessed.',
      },
    },
  );
