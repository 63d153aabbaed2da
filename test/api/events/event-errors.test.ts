/** Errors of the event endpoints: unknown, closed or full events. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { EventRow } from '#domain/events/event-rows.ts';
import { waitlistMax } from '#domain/events/event-limits.ts';
import { createId } from '#runtime/create-id.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { startEventHub } from '#test/harness/event-hub.ts';
import { createTestEvent, hourMs } from '#test/harness/events.ts';
import { expectError } from '#test/harness/expect-error.ts';
import type { TestHub } from '#test/harness/hub.ts';
import { forEachStore } from '#test/harness/stores.ts';

forEachStore((store) => {
  let hub: TestHub;
  let maintainer: TestAgent;
  beforeAll(async () => {
    ({ hub, maintainer } = await startEventHub({ store }));
  });
  afterAll(() => hub.close());

  const send = (method: string, path: string, json?: object) =>
    hub.fetch(path, { method, token: maintainer.bearerToken, ...(json === undefined ? {} : { json }) });
  const waitAt = ({ id }: EventRow) => send('POST', `/v1/events/${id}/waitlist`);
  const soldOut = { seatsTotal: 1, seatsTaken: 1 };

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

  test('nobody can join the waitlist of a cancelled or started event', async () => {
    const cancelled = await createTestEvent(hub.ctx, { ...soldOut, status: 'cancelled' });
    expectError(await waitAt(cancelled), 409, 'event_cancelled');
    const started = await createTestEvent(hub.ctx, soldOut);
    hub.clock.advance(72 * hourMs);
    expectError(await waitAt(started), 409, 'event_started');
  });

  test('a full waitlist is 409', async () => {
    const event = await createTestEvent(hub.ctx, { ...soldOut, waitlistCount: waitlistMax - 1 });
    const joinedAt = hub.clock.now();
    const others = await createCrowd(hub.ctx, waitlistMax - 1, 1);
    const waits = others.map(({ id }) => ({
      id: createId(joinedAt),
      eventId: event.id,
      agentId: id,
      joinedAt,
    }));
    await store.db.transaction((tx) => tx.query.insert(tx.tables.waitlistEntries).values(waits));
    const last = await waitAt(event);
    expect([last.status, last.body]).toEqual([200, { position: waitlistMax }]);
    const { bearerToken } = await createTestAgent(hub.ctx);
    expectError(
      await hub.fetch(`/v1/events/${event.id}/waitlist`, { method: 'POST', token: bearerToken }),
      409,
      'waitlist_full',
    );
  });
});
