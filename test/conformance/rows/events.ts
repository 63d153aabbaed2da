/** Seats: reserving, cancelling and listing; and the errors of other event endpoints. */
import type { EventRow } from '#domain/events/event-rows.ts';
import { createId } from '#runtime/create-id.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import { createTestEvent, hourMs } from '#test/harness/events.ts';
import type { TestResponse } from '#test/harness/hub.ts';
import type { EndpointRow } from '../endpoint-table.ts';
import { needsToken, type RowChecks } from '../row-checks.ts';
import type { World } from '../world.ts';

const nowhere = createId(new Date());
/** Shared by all events created here. */
const startsInMs = 72 * hourMs;

export const newEvent = ({ hub }: World, options: Partial<EventRow> = {}): Promise<EventRow> =>
  createTestEvent(hub.ctx, options);

export function reserve(
  { ask }: World,
  eventId: string,
  agent: TestAgent,
  json: object = { idempotency_key: createId(new Date()) },
): Promise<TestResponse> {
  return ask(agent, `/v1/events/${eventId}/reserve`, json);
}

export const cancel = ({ ask }: World, eventId: string, agent: TestAgent): Promise<TestResponse> =>
  ask(agent, `/v1/events/${eventId}/cancel`, {});

async function soldOutEvent(world: World): Promise<string> {
  const { id } = await newEvent(world, { seatsTotal: 1 });
  await reserve(world, id, await world.newAgent());
  return id;
}

async function cancelledEvent(world: World): Promise<string> {
  const { id } = await newEvent(world, { status: 'cancelled' });
  return id;
}

async function startedEvent(world: World): Promise<string> {
  const { id } = await newEvent(world);
  world.hub.clock.advance(startsInMs);
  return id;
}

export const eventRows = {
  'POST /v1/events/{event_id}/reserve': {
    checks: {
      200: async (world) => reserve(world, (await newEvent(world)).id, world.ada),
      '400 invalid_body': async (world) => reserve(world, (await newEvent(world)).id, world.ada, {}),
      '402 insufficient_tokens': async (world) =>
        reserve(world, (await newEvent(world)).id, await world.newAgent(1)),
      '404 event_not_found': (world) => reserve(world, nowhere, world.ada),
      '409 already_reserved': async (world) => {
        const { id } = await newEvent(world);
        await reserve(world, id, world.ada);
        return reserve(world, id, world.ada);
      },
      '409 event_started': async (world) => reserve(world, await startedEvent(world), world.ada),
      '409 event_cancelled': async (world) => reserve(world, await cancelledEvent(world), world.ada),
      '409 idempotency_key_reused': async (world) => {
        const json = { idempotency_key: 'of another event' };
        await reserve(world, (await newEvent(world)).id, world.ada, json);
        return reserve(world, (await newEvent(world)).id, world.ada, json);
      },
      '409 sold_out': async (world) => reserve(world, await soldOutEvent(world), world.ada),
      ...needsToken(`/v1/events/${nowhere}/reserve`, { idempotency_key: 'x' }),
    },
  },
  'POST /v1/events/{event_id}/cancel': {
    checks: {
      200: async (world) => {
        const { id } = await newEvent(world);
        await reserve(world, id, world.ada);
        return cancel(world, id, world.ada);
      },
      '404 event_not_found': (world) => cancel(world, nowhere, world.ada),
      '404 seat_not_found': async (world) => cancel(world, (await newEvent(world)).id, world.ada),
      '409 event_started': async (world) => {
        const { id } = await newEvent(world);
        await reserve(world, id, world.ada);
        world.hub.clock.advance(startsInMs);
        return cancel(world, id, world.ada);
      },
      ...needsToken(`/v1/events/${nowhere}/cancel`, {}),
    },
  },
  'GET /v1/agents/me/seats': {
    checks: { 200: ({ ask, ada }) => ask(ada, '/v1/agents/me/seats'), ...needsToken('/v1/agents/me/seats') },
  },
} satisfies Partial<Record<EndpointRow, RowChecks>>;
