/** Seats over HTTP: charges, refunds and deadlines, the meetings of office hours, and waitlists. */
import { expect, test } from 'bun:test';
import { closedHandle } from '#domain/agents/retired-handles.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { useEventHub } from '#test/harness/event-hub.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { createTestEvent, hourMs } from '#test/harness/events.ts';
import { useTestAgent } from '#test/harness/hub.ts';
import { rowsOf } from '#test/harness/rows.ts';

const { hub, maintainer } = useEventHub({ rules: { mailsHosts: true } });
const host = useTestAgent(hub);

interface Id {
  readonly id: string;
}

const agentWith = (tokens: number) => createTestAgent(hub.ctx, { tokens });
const get = ({ bearerToken: token }: TestAgent, path: string) => hub.fetch(`/v1${path}`, { token });
const post = ({ bearerToken: token }: TestAgent, path: string, json?: object, headers = {}) =>
  hub.fetch(`/v1/events/${path}`, { method: 'POST', token, json, headers });
const reserve = ({ id }: Id, agent: TestAgent, key = 'k') =>
  post(agent, `${id}/reserve`, { idempotency_key: key });
const cancel = ({ id }: Id, agent: TestAgent) => post(agent, `${id}/cancel`);
const entriesOf = (agent: TestAgent) => rowsOf(hub, 'tokenEntries', { agentId: agent.id });

test('a reservation charges the price and returns the seat, its calendar URL and the balance', async () => {
  const event = await createTestEvent(hub.ctx);
  const agent = await agentWith(5);
  const response = await reserve(event, agent);
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
  const first = await reserve(event, agent);
  const again = await reserve(event, agent);
  expect(again.body).toEqual(first.body);
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  await cancel(event, agent);
  const afterCancel = await reserve(event, agent);
  expect(afterCancel.status).toBe(200);
  expect(afterCancel.body.seat).toMatchObject({ id: first.body.seat.id, status: 'cancelled', refunded: 2 });
  expect((await entriesOf(agent)).map((entry) => entry.kind)).toEqual(['grant', 'spend', 'refund']);
});

test('the key may be in the header instead of the body, but two different keys are rejected', async () => {
  const event = await createTestEvent(hub.ctx);
  const agent = await agentWith(5);
  const send = (key: string | null, json?: object) =>
    post(agent, `${event.id}/reserve`, json, key === null ? {} : { 'idempotency-key': key });
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
  await reserve(event, holder);
  expectError(await reserve(event, holder, 'other key'), 409, 'already_reserved');
  expectError(await reserve(other, holder), 409, 'idempotency_key_reused');
  expectError(await reserve(event, late), 409, 'sold_out');
  expectError(await reserve(other, poor), 402, 'insufficient_tokens');
  const hostless = await createTestEvent(hub.ctx, { kind: 'office_hours', hostHandle: closedHandle });
  expectError(await reserve(hostless, late), 409, 'conflict');
  expectError(await post(late, `${hostless.id}/waitlist`), 409, 'conflict');
  expect((await entriesOf(late)).length + (await entriesOf(poor)).length).toBe(2);
  // After an error, a retry with the same key runs again.
  await cancel(event, holder);
  expect((await reserve(event, late)).status).toBe(200);
});

test('a seat is neither reserved nor cancelled once its event has started', async () => {
  const event = await createTestEvent(hub.ctx, { tokenPrice: 0 });
  const [holder, late] = [await agentWith(1), await agentWith(1)];
  await reserve(event, holder);
  const now = hub.clock.now();
  hub.clock.advance(72 * hourMs);
  expectError(await cancel(event, holder), 409, 'event_started');
  expectError(await reserve(event, late), 409, 'event_started');
  hub.clock.set(now);
});

const confirm = (event: Id, seat: Id, by: TestAgent, json: object) =>
  post(by, `${event.id}/seats/${seat.id}/meeting`, json);
const meeting = { starts_at: '2099-05-01T09:00:00.000Z', place: 'https://meet.test/a;b,c' };

/** Office hours with a seat of an agent. */
async function bookOfficeHours() {
  const hosted = { hostAgentId: host.id, hostHandle: host.handle };
  const event = await createTestEvent(hub.ctx, { kind: 'office_hours', seatsTotal: 1, ...hosted });
  const agent = await agentWith(100);
  return { event, agent, seat: (await reserve(event, agent)).body.seat };
}

test('the host confirms time and place, visible to the agent and in its calendar', async () => {
  const { event, agent, seat } = await bookOfficeHours();
  const confirm_by = new Date(hub.clock.now().getTime() + 24 * hourMs).toISOString();
  expect(seat.meeting).toEqual({ confirm_by, confirmed_at: null, starts_at: null, place: null });
  const confirmed = await confirm(event, seat, host, meeting);
  expect([confirmed.status, confirmed.body.seat.meeting]).toEqual([
    200,
    { ...meeting, confirm_by, confirmed_at: hub.clock.now().toISOString() },
  ]);
  const mine = await get(agent, '/agents/me/seats');
  expect(mine.body.seats[0].meeting).toEqual(confirmed.body.seat.meeting);
  const calendar = await hub.fetch(new URL(seat.ics_url).pathname);
  expect(calendar.text).toContain('DTSTART:20990501T090000Z');
  const moved = await confirm(event, seat, maintainer, { ...meeting, place: 'Room 2' });
  expect(moved.body.seat.meeting.place).toBe('Room 2');
});

test('only the host confirms, and only a reserved seat of office hours can be confirmed', async () => {
  const { event, agent, seat } = await bookOfficeHours();
  const workshop = await createTestEvent(hub.ctx);
  const other = (await reserve(workshop, agent, 'w')).body.seat;
  expectError(await confirm(event, seat, agent, meeting), 403, 'not_allowed');
  expectError(await confirm(workshop, other, maintainer, meeting), 409, 'conflict');
  expectError(await confirm(event, other, host, meeting), 404, 'seat_not_found');
  expectError(await confirm(event, seat, host, { place: 'x' }), 400, 'invalid_body');
});

test('a meeting not confirmed within 24 hours is listed as overdue to the host and maintainers', async () => {
  const { event, agent, seat } = await bookOfficeHours();
  const seats = (by: TestAgent, query = '?overdue=true') => get(by, `/events/${event.id}/seats${query}`);
  expect((await seats(host)).body.seats).toEqual([]);
  const now = hub.clock.now();
  hub.clock.advance(24 * hourMs);
  for (const by of [host, maintainer])
    expect((await seats(by)).body.seats.map(({ id }: Id) => id)).toEqual([seat.id]);
  await confirm(event, seat, host, meeting);
  expect((await seats(host)).body.seats).toEqual([]);
  hub.clock.set(now);
  expect((await seats(host, '')).body.seats.length).toBe(1);
  expectError(await seats(agent), 403, 'not_allowed');
});

test('agents wait for a sold-out event, and see when a seat is open to them', async () => {
  const event = await createTestEvent(hub.ctx, { seatsTotal: 1 });
  const [holder, waiting] = [await agentWith(9), await agentWith(9)];
  const wait = () => post(waiting, `${event.id}/waitlist`);
  expectError(await wait(), 409, 'seats_available');
  await reserve(event, holder);
  expect((await wait()).body).toEqual({ position: 1 });
  const entry = async () => (await get(waiting, '/agents/me/seats')).body.waitlist[0];
  expect(await entry()).toMatchObject({ position: 1, seat_open: false, told_at: null });
  await cancel(event, holder);
  expect(await entry()).toMatchObject({ position: 1, seat_open: true, told_at: expect.any(String) });
});
