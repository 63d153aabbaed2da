/**
 * Office hours and waitlists over HTTP: confirming, overdue meetings, and the order of the
 * waitlist.
 */
import { expect, test } from 'bun:test';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { useEventHub } from '#test/harness/event-hub.ts';
import { useTestAgent } from '#test/harness/hub.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { createTestEvent, hourMs } from '#test/harness/events.ts';
import type { TestResponse } from '#test/harness/hub.ts';

const { hub, maintainer } = useEventHub({ rules: { mailsHosts: true } });
const host = useTestAgent(hub);

const post = (path: string, by: TestAgent, json?: unknown): Promise<TestResponse> =>
  hub.fetch(path, { method: 'POST', token: by.bearerToken, json });
const get = (path: string, by: TestAgent): Promise<TestResponse> =>
  hub.fetch(path, { token: by.bearerToken });
const reserve = (event: { id: string }, by: TestAgent, key = 'k') =>
  post(`/v1/events/${event.id}/reserve`, by, { idempotency_key: key });
const confirm = (event: { id: string }, seatId: string, by: TestAgent, json: unknown) =>
  post(`/v1/events/${event.id}/seats/${seatId}/meeting`, by, json);
const officeHours = () =>
  createTestEvent(hub.ctx, {
    kind: 'office_hours',
    seatsTotal: 1,
    hostAgentId: host.id,
    hostHandle: host.handle,
  });
const rich = () => createTestAgent(hub.ctx, { tokens: 100 });

test('the host confirms time and place, visible to the agent and in its calendar', async () => {
  const [event, agent] = [await officeHours(), await rich()];
  const { seat } = (await reserve(event, agent)).body;
  expect(seat.meeting).toEqual({
    confirm_by: new Date(hub.clock.now().getTime() + 24 * hourMs).toISOString(),
    confirmed_at: null,
    starts_at: null,
    place: null,
  });
  const meeting = { starts_at: '2099-05-01T09:00:00.000Z', place: 'https://meet.test/a;b,c' };
  const confirmed = await confirm(event, seat.id, host, meeting);
  expect(confirmed.status).toBe(200);
  expect(confirmed.body.seat.meeting).toEqual({
    ...meeting,
    confirm_by: seat.meeting.confirm_by,
    confirmed_at: hub.clock.now().toISOString(),
  });
  const mine = await get('/v1/agents/me/seats', agent);
  expect(mine.body.seats[0].meeting).toEqual(confirmed.body.seat.meeting);
  const calendar = await hub.fetch(new URL(seat.ics_url).pathname);
  expect(calendar.text).toContain('DTSTART:20990501T090000Z');
  expect(calendar.text).toContain('SEQUENCE:1');
  const moved = await confirm(event, seat.id, maintainer, { ...meeting, place: 'Room 2' });
  expect(moved.body.seat.meeting.place).toBe('Room 2');
  expect((await hub.fetch(new URL(seat.ics_url).pathname)).text).toContain('SEQUENCE:2');
});

test('only the host confirms, and only a reserved seat of office hours can be confirmed', async () => {
  const [event, workshop, agent] = [await officeHours(), await createTestEvent(hub.ctx), await rich()];
  const { seat } = (await reserve(event, agent)).body;
  const other = (await reserve(workshop, agent, 'w')).body.seat;
  const meeting = { starts_at: '2099-05-01T09:00:00Z', place: 'Room 1' };
  expectError(await confirm(event, seat.id, agent, meeting), 403, 'not_allowed');
  expectError(await confirm(workshop, other.id, maintainer, meeting), 409, 'conflict');
  expectError(await confirm(event, other.id, host, meeting), 404, 'seat_not_found');
  expectError(await confirm(event, seat.id, host, { place: 'x' }), 400, 'invalid_body');
});

test('a meeting not confirmed within 24 hours is listed as overdue to the host and maintainers', async () => {
  const [event, agent] = [await officeHours(), await rich()];
  const { seat } = (await reserve(event, agent)).body;
  const overdue = (by: TestAgent) => get(`/v1/events/${event.id}/seats?overdue=true`, by);
  expect((await overdue(host)).body.seats).toEqual([]);
  const now = hub.clock.now();
  hub.clock.advance(24 * hourMs);
  for (const by of [host, maintainer]) {
    expect((await overdue(by)).body.seats.map(({ id }: { id: string }) => id)).toEqual([seat.id]);
  }
  await confirm(event, seat.id, host, { starts_at: '2099-05-01T09:00:00Z', place: 'Room 1' });
  expect((await overdue(host)).body.seats).toEqual([]);
  hub.clock.set(now);
  expect((await get(`/v1/events/${event.id}/seats`, host)).body.seats.length).toBe(1);
  expectError(await overdue(agent), 403, 'not_allowed');
});

test('agents wait for a sold-out event, and see when a seat is open to them', async () => {
  const event = await createTestEvent(hub.ctx, { seatsTotal: 1 });
  const [holder, waiting] = [await rich(), await rich()];
  const wait = () => post(`/v1/events/${event.id}/waitlist`, waiting);
  expectError(await wait(), 409, 'seats_available');
  await reserve(event, holder);
  expect((await wait()).body).toEqual({ position: 1 });
  const entry = async () => (await get('/v1/agents/me/seats', waiting)).body.waitlist[0];
  expect(await entry()).toMatchObject({ position: 1, seat_open: false, told_at: null });
  await post(`/v1/events/${event.id}/cancel`, holder);
  expect(await entry()).toMatchObject({ position: 1, seat_open: true, told_at: expect.any(String) });
});
