/** Reserving and cancelling seats over HTTP: charges, refunds and deadlines. */
import { expect, test } from 'bun:test';
import { closedHandle } from '#domain/agents/retired-handles.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { useEventHub } from '#test/harness/event-hub.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { createTestEvent } from '#test/harness/events.ts';
import type { TestResponse } from '#test/harness/hub.ts';
import { rowsOf } from '#test/harness/rows.ts';

const { hub } = useEventHub();

const agentWith = (tokens: number): Promise<TestAgent> => createTestAgent(hub.ctx, { tokens });
const reserve = (event: { id: string }, agent: TestAgent, key: string): Promise<TestResponse> =>
  hub.fetch(`/v1/events/${event.id}/reserve`, { token: agent.bearerToken, json: { idempotency_key: key } });
const cancel = (event: { id: string }, agent: TestAgent): Promise<TestResponse> =>
  hub.fetch(`/v1/events/${event.id}/cancel`, { method: 'POST', token: agent.bearerToken });
const entriesOf = (agent: TestAgent) => rowsOf(hub, 'tokenEntries', { agentId: agent.id });

test('a reservation charges the price and returns the seat, its calendar URL and the balance', async () => {
  const event = await createTestEvent(hub.ctx);
  const agent = await agentWith(5);
  const response = await reserve(event, agent, 'first');
  expect(response.status).toBe(200);
  expect(response.body).toEqual({
    seat: {
      id: response.body.seat.id,
      event_id: event.id,
      agent_handle: agent.handle,
      status: 'reserved',
      price_paid: 2,
      refunded: 0,
      reserved_at: hub.clock.now().toISOString(),
      cancelled_at: null,
      ics_url: response.body.ics_url,
      meeting: null,
    },
    ics_url: expect.stringMatching(/^https:\/\/hub\.test\/v1\/calendar\/[A-Za-z0-9_-]{24}\.ics$/),
    balance: 3,
  });
  const spend = (await entriesOf(agent)).at(-1)!;
  expect([spend.kind, spend.amount, spend.reference]).toEqual(['spend', -2, response.body.seat.id]);
  const shown = await hub.fetch(`/v1/events/${event.id}`);
  expect([shown.body.event.seats_taken, shown.body.event.seats_available]).toEqual([1, 9]);
});

test('repeating a key returns the original seat, marked as replayed, and charges nothing, even after a cancellation', async () => {
  const event = await createTestEvent(hub.ctx);
  const agent = await agentWith(5);
  const first = await reserve(event, agent, 'k');
  const again = await reserve(event, agent, 'k');
  expect(again.body).toEqual(first.body);
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  await cancel(event, agent);
  const afterCancel = await reserve(event, agent, 'k');
  expect(afterCancel.status).toBe(200);
  expect(afterCancel.body.seat).toMatchObject({ id: first.body.seat.id, status: 'cancelled', refunded: 2 });
  expect((await entriesOf(agent)).map((entry) => entry.kind)).toEqual(['grant', 'spend', 'refund']);
});

test('the key may be in the header instead of the body, but two different keys are rejected', async () => {
  const event = await createTestEvent(hub.ctx);
  const agent = await agentWith(5);
  const send = (key: string | null, json?: object): Promise<TestResponse> =>
    hub.fetch(`/v1/events/${event.id}/reserve`, {
      method: 'POST',
      token: agent.bearerToken,
      headers: key === null ? {} : { 'idempotency-key': key },
      json,
    });
  for (const neither of [await send(null), await send(null, {})]) {
    expectError(neither, 400, 'invalid_body');
    expect(neither.body.message).toBe('`idempotency_key` is required but missing.');
  }
  expectError(await send('one', { idempotency_key: 'two' }), 400, 'invalid_body');
  const first = await send('one');
  expect(first.status).toBe(200);
  for (const again of [await send('one', { idempotency_key: 'one' }), await reserve(event, agent, 'one')]) {
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  }
});

test('a rejected reservation gets the reason and charges nothing', async () => {
  const event = await createTestEvent(hub.ctx, { seatsTotal: 1 });
  const other = await createTestEvent(hub.ctx);
  const [holder, poor, late] = [await agentWith(9), await agentWith(1), await agentWith(9)];
  await reserve(event, holder, 'k');
  expectError(await reserve(event, holder, 'other key'), 409, 'already_reserved');
  expectError(await reserve(other, holder, 'k'), 409, 'idempotency_key_reused');
  expectError(await reserve(event, late, 'k'), 409, 'sold_out');
  expectError(await reserve(other, poor, 'k'), 402, 'insufficient_tokens');
  expectError(await reserve({ id: Bun.randomUUIDv7() }, late, 'k'), 404, 'event_not_found');
  const hostless = await createTestEvent(hub.ctx, { kind: 'office_hours', hostHandle: closedHandle });
  expectError(await reserve(hostless, late, 'k'), 409, 'conflict');
  const wait = { method: 'POST', token: late.bearerToken };
  expectError(await hub.fetch(`/v1/events/${hostless.id}/waitlist`, wait), 409, 'conflict');
  expect((await entriesOf(late)).length + (await entriesOf(poor)).length).toBe(2);
  // After an error, a retry with the same key runs again.
  await cancel(event, holder);
  expect((await reserve(event, late, 'k')).status).toBe(200);
});
