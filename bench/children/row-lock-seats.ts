/**
 * The baseline for reservations: the same HTTP stack, authentication, rules, charge and rows, with one
 * transaction per request that locks the event's row (on SQLite an immediate transaction).
 */
import { Elysia } from 'elysia';
import { eq } from 'drizzle-orm';
import { respond } from '#api/endpoint.ts';
import { edge, input, replies } from '#api/plugins/edge.ts';
import { ReserveResponse, ReserveRequest, showSeat } from '#api/events/model.ts';
import { object, uuid } from '#api/schemas.ts';
import { lockRows } from '#db/transaction.ts';
import { type AgentCtx, withTransaction } from '#domain/context.ts';
import { invariant } from '#domain/errors.ts';
import { eventNotFound } from '#domain/events/event-refusals.ts';
import { handleSeatCommands } from '#domain/events/handle-seat-commands.ts';
import type { SeatReplies } from '#domain/events/seat-commands.ts';
import { createId } from '#runtime/create-id.ts';
import { serveEndpoint } from './serve-endpoint.ts';

function reserveUnderLock(
  call: AgentCtx,
  eventId: string,
  key: string,
): Promise<SeatReplies['reserve-seat']> {
  return withTransaction(call, async (inner) => {
    const { events } = inner.db.tables;
    const [event] = await lockRows(
      inner.db,
      inner.db.query.select().from(events).where(eq(events.id, eventId)),
    );
    if (event === undefined) throw eventNotFound();
    const { id: agentId, handle: agentHandle } = call.agent;
    const command = { kind: 'reserve-seat', agentId, agentHandle, key } as const;
    const [result] = await handleSeatCommands(inner, [
      { state: event, messages: [{ id: createId(new Date()), command }] },
    ]);
    const reply = result?.replies[0];
    if (reply instanceof Error) throw reply;
    invariant(reply !== undefined && 'replayed' in reply, 'A reservation must return a seat.');
    return reply;
  });
}

const reserve = new Elysia({ tags: ['events'] }).use(edge).post(
  '/v1/events/:event_id/reserve',
  async ({ ctx: call, params, body }) => {
    const { seat: row, balance } = await reserveUnderLock(call, params.event_id, body.idempotency_key ?? '');
    const seat = showSeat(row, call.rules.baseUrl);
    return respond(200, { seat, ics_url: seat.ics_url, balance });
  },
  {
    agent: true,
    params: input(object({ event_id: uuid() })),
    body: input(ReserveRequest),
    response: replies({ 200: { description: 'The seat.', schema: ReserveResponse } }),
    once: 'after',
    detail: { summary: 'Reserve a seat under a row lock' },
  },
);

await serveEndpoint('row-lock', () => reserve);
