/** Errors of the event endpoints: unknown events and unknown hosts. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createId } from '#runtime/create-id.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import { startEventHub } from '#test/harness/event-hub.ts';
import { createTestEvent } from '#test/harness/events.ts';
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
});
