/** Errors of the event endpoints: unknown events and hosts, and refusals of waitlists. */
import { expect, test } from 'bun:test';
import { waitlistMax } from '#domain/events/event-limits.ts';
import type { EventRow } from '#domain/events/event-rows.ts';
import { createId } from '#runtime/create-id.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { useEventHub } from '#test/harness/event-hub.ts';
import { createTestEvent, hourMs } from '#test/harness/events.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { onStore } from '#test/harness/stores.ts';

onStore('sqlite', (store) => {
  const { hub, maintainer } = useEventHub({ store });

  const send = (method: string, path: string, json?: object) =>
    hub.fetch(path, { method, token: maintainer.bearerToken, ...(json === undefined ? {} : { json }) });

  test('an unknown event is 404 at every endpoint', async () => {
    const path = `/v1/events/${createId(new Date())}`;
    const meeting = { starts_at: '2100-01-01T00:00:00Z', place: 'Here' };
    for (const response of [
      await send('GET', path),
      await send('PATCH', path, { title: 'Another title' }),
      await send('DELETE', path),
      await send('POST', `${path}/reserve`, { idempotency_key: 'x' }),
      await send('POST', `${path}/cancel`),
      await send('POST', `${path}/waitlist`),
      await send('GET', `${path}/seats`),
      await send('POST', `${path}/seats/${createId(new Date())}/meeting`, meeting),
    ]) {
      expectError(response, 404, 'event_not_found');
    }
  });

  test('the new host of an event must be a registered agent', async () => {
    const { id, hostHandle } = await createTestEvent(hub.ctx);
    expectError(
      await send('PATCH', `/v1/events/${id}`, { host_handle: 'nobody-here' }),
      400,
      'unknown_agent',
    );
    expect((await hub.fetch(`/v1/events/${id}`)).body.event.host_handle).toBe(hostHandle);
  });

  test('each refusal of a place on a waitlist has its status and code', async () => {
    const waitAt = ({ id }: EventRow) => send('POST', `/v1/events/${id}/waitlist`);
    const held = await createTestEvent(hub.ctx, { seatsTotal: 1, tokenPrice: 0 });
    await send('POST', `/v1/events/${held.id}/reserve`, { idempotency_key: 'held' });
    expectError(await waitAt(held), 409, 'already_reserved');
    const soldOut = { seatsTotal: 1, seatsTaken: 1 };
    const full = await createTestEvent(hub.ctx, { ...soldOut, waitlistCount: waitlistMax });
    const joinedAt = hub.clock.now();
    const waits = (await createCrowd(hub.ctx, waitlistMax, 1)).map((agent) => ({
      id: createId(joinedAt),
      eventId: full.id,
      agentId: agent.id,
      joinedAt,
    }));
    await store.db.transaction((tx) => tx.query.insert(tx.tables.waitlistEntries).values(waits));
    expectError(await waitAt(full), 409, 'limit_reached');
    const cancelled = await createTestEvent(hub.ctx, { ...soldOut, status: 'cancelled' });
    expectError(await waitAt(cancelled), 409, 'event_cancelled');
    const started = await createTestEvent(hub.ctx, soldOut);
    hub.clock.advance(72 * hourMs);
    expectError(await waitAt(started), 409, 'event_started');
  });
});
