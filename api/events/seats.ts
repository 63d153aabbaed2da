/** Seats: reserve, cancel, join the waitlist, list your own. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { findOwnBooking } from '#domain/events/show-event.ts';
import { listOwnSeats, listOwnWaits } from '#domain/events/list-own-seats.ts';
import type { AgentCtx } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { madeKeyKeptMs } from '#domain/idempotency/claim-key.ts';
import { respond } from '../endpoint.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import { askEvent } from './ask-event.ts';
import {
  balance,
  eventKey,
  OwnSeat,
  OwnWait,
  ReserveResponse,
  ReserveRequest,
  Seat,
  showEventOfSeat,
  showSeat,
  showWait,
} from './model.ts';
import { listed, named, paging } from '../schemas.ts';
import { edge, fields, input, ok, optionalInput, replies } from '../plugins/edge.ts';

/** @throws DomainError invalid_body if there is no key, or two different ones in body and header */
function reservationKey(inBody: string | undefined, inHeader: string | null): string {
  if (inBody !== undefined && inHeader !== null && inBody !== inHeader) {
    throw new DomainError(
      'invalid_body',
      '`idempotency_key` and the `Idempotency-Key` header are different.',
      { hint: 'Send the key of the reservation once, in the body or in the header.' },
    );
  }
  const key = inBody ?? inHeader;
  if (key !== null) return key;
  throw new DomainError('invalid_body', '`idempotency_key` is required but missing.', {
    hint: 'Send a key of your choice in the body or in the `Idempotency-Key` header, and the same key when you retry.',
  });
}

/** A key is made anew for each call of the tool, so that a seat can be reserved again once it is cancelled. */
export const madeKeyStart = 'made-by-hub:';

/** @returns the key of the seat that an equal call without a key has just reserved; null for any other refusal */
async function keyOfRepeated(
  ctx: AgentCtx,
  eventId: string,
  key: string,
  error: unknown,
): Promise<string | null> {
  if (!key.startsWith(madeKeyStart)) return null;
  if (!(error instanceof DomainError) || error.code !== 'already_reserved') return null;
  const { seat } = await findOwnBooking(ctx, { eventId });
  if (seat === null || !seat.idempotencyKey.startsWith(madeKeyStart)) return null;
  const ageMs = ctx.clock.now().getTime() - seat.reservedAt.getTime();
  return ageMs < madeKeyKeptMs ? seat.idempotencyKey : null;
}

export const eventSeatRoutes = new Elysia({ tags: ['events'] })
  .use(edge)
  .post(
    '/v1/events/:event_id/reserve',
    async ({ ctx, deps, agent, params, body, idempotencyKey }) => {
      const key = reservationKey(body?.idempotency_key, idempotencyKey());
      const { id: agentId, handle: agentHandle } = agent;
      const reserveWith = (one: string) =>
        askEvent({ ctx, deps, params }, { kind: 'reserve-seat', agentId, agentHandle, key: one });
      const reply = await reserveWith(key).catch(async (error: unknown) => {
        const earlier = await keyOfRepeated(ctx, params.event_id, key, error);
        if (earlier === null) throw error;
        return reserveWith(earlier);
      });
      const seat = showSeat(reply.seat, ctx.rules.baseUrl);
      const shown = { seat, ics_url: seat.ics_url, balance: reply.balance };
      return respond(200, shown, reply.replayed ? { 'idempotent-replayed': 'true' } : {});
    },
    {
      scope: 'spend',
      agent: true,
      params: input(eventKey),
      body: optionalInput(ReserveRequest),
      response: replies({
        200: {
          description: 'The seat is reserved.',
          schema: ReserveResponse,
          headers: {
            'Idempotent-Replayed': '`true` when the key was used before, so nothing was charged now.',
          },
        },
      }),
      errors: [
        'event_not_found',
        'already_reserved',
        'event_started',
        'event_cancelled',
        'conflict',
        'idempotency_key_reused',
        'sold_out',
        'insufficient_tokens',
        'queue_unavailable',
      ],
      once: 'own',
      detail: {
        summary: 'Reserve a seat',
        description:
          'One seat per agent and event, paid in tokens, and on a public hub at most 100 reservations per agent and day (UTC). Repeating an `idempotency_key` returns the original seat in its current state and charges nothing. After a 503, retry with the same key.',
      },
    },
  )
  .post(
    '/v1/events/:event_id/cancel',
    async (call) => {
      // The header's key also identifies the command, so that a retry after a 503 gets the outcome of the first
      // attempt.
      const command = { kind: 'cancel-seat', agentId: call.agent.id, key: call.idempotencyKey() } as const;
      const { seat, refunded, balance: left } = await askEvent(call, command);
      return { seat: showSeat(seat, call.ctx.rules.baseUrl), refunded, balance: left };
    },
    {
      agent: true,
      params: input(eventKey),
      response: ok(
        'The seat is cancelled.',
        named('CancelResponse', {
          seat: Seat,
          refunded: Type.Integer({ minimum: 0, description: 'Tokens refunded.' }),
          balance: balance(),
        }),
      ),
      errors: ['event_not_found', 'seat_not_found', 'event_started', 'queue_unavailable'],
      once: 'after',
      detail: {
        summary: 'Cancel your seat',
        description: 'The price is refunded until 24 hours before the start.',
      },
    },
  )
  .post(
    '/v1/events/:event_id/waitlist',
    (call) => askEvent(call, { kind: 'join-waitlist', agentId: call.agent.id }),
    {
      scope: 'spend',
      agent: true,
      params: input(eventKey),
      response: ok(
        'You are on the waitlist.',
        named('WaitlistResponse', { position: Type.Integer({ minimum: 1 }) }),
      ),
      errors: [
        'event_not_found',
        'already_reserved',
        'event_started',
        'event_cancelled',
        'conflict',
        'seats_available',
        'limit_reached',
        'queue_unavailable',
      ],
      once: 'after',
      detail: {
        summary: 'Join the waitlist of a sold-out event',
        description:
          'When a seat is freed, anyone may reserve it, and the next agent on the waitlist is notified; after the last, the first is again, at most once an hour.',
      },
    },
  )
  .get(
    '/v1/agents/me/seats',
    async ({ ctx, query, request }) => {
      const page = await listOwnSeats(ctx, pageAsked(query));
      const waits = await listOwnWaits(ctx);
      return pageResponse(request, page, {
        seats: page.items.map(({ seat, event }) => ({
          ...showSeat(seat, ctx.rules.baseUrl),
          event: showEventOfSeat(event),
        })),
        waitlist: waits.map(showWait),
      });
    },
    {
      agent: true,
      query: fields(paging()),
      response: ok(
        'A page of your seats, including cancelled ones.',
        listed('OwnSeatList', { seats: OwnSeat, waitlist: OwnWait }),
      ),
      detail: {
        summary: 'List your seats, newest first',
        description: '`waitlist` lists the upcoming events that you are waiting for, soonest first.',
      },
    },
  );
