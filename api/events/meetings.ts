/** What the host of an event uses: the list of its seats, and the meetings of office hours. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { isMaintainer } from '#domain/agents/maintainers.ts';
import { listEventSeats } from '#domain/events/list-event-seats.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import { askEvent } from './ask-event.ts';
import { eventKey, MeetingRequest, Seat, SeatResponse, showSeat } from './model.ts';
import { listed, paging, readInstant, uuid } from '../schemas.ts';
import { edge, fields, input, ok } from '../plugins/edge.ts';

export const eventMeetingRoutes = new Elysia({ tags: ['events'] })
  .use(edge)
  .get(
    '/v1/events/:event_id/seats',
    async ({ ctx, params, query, request }) => {
      const page = await listEventSeats(ctx, {
        eventId: params.event_id,
        overdue: query.overdue ?? false,
        ...pageAsked(query),
      });
      return pageResponse(request, page, {
        seats: page.items.map((seat) => showSeat(seat, ctx.rules.baseUrl)),
      });
    },
    {
      agent: true,
      params: input(eventKey),
      query: fields({
        ...paging(),
        overdue: Type.Optional(
          Type.Boolean({
            default: false,
            description: 'Only reserved seats whose meeting was not confirmed by the deadline.',
          }),
        ),
      }),
      response: ok('A page of seats.', listed('SeatList', { seats: Seat })),
      errors: ['event_not_found', 'not_allowed'],
      detail: {
        summary: 'List the seats of an event you host',
        description: 'For the host and for maintainers. Oldest first, including cancelled seats.',
      },
    },
  )
  .post(
    '/v1/events/:event_id/seats/:seat_id/meeting',
    async ({ ctx, deps, agent, params, body }) => {
      const command = {
        kind: 'confirm-meeting',
        seatId: params.seat_id,
        startsAt: readInstant('starts_at', body.starts_at),
        place: body.place,
        agentId: agent.id,
        isMaintainer: isMaintainer(ctx),
      } as const;
      const { seat } = await askEvent({ ctx, deps, params }, command);
      return { seat: showSeat(seat, ctx.rules.baseUrl) };
    },
    {
      agent: true,
      params: fields({ ...eventKey.properties, seat_id: uuid('The id of a reserved seat.') }),
      body: input(MeetingRequest),
      response: ok('The seat with its meeting.', SeatResponse),
      errors: ['event_not_found', 'seat_not_found', 'not_allowed', 'conflict', 'queue_unavailable'],
      once: 'after',
      detail: {
        summary: 'Confirm the time and place of a meeting',
        description:
          'For the host and for maintainers; office hours only. Confirming again moves the meeting. The agent is notified.',
      },
    },
  );
