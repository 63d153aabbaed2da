/** Calendar files: strict iCalendar that a calendar library parses, updated under a stable UID. */
import { expect, test } from 'bun:test';
import ICAL from 'ical.js';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { useEventHub } from '#test/harness/event-hub.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { createTestEvent, hourMs } from '#test/harness/events.ts';

/** Strict mode reports values that do not fit their type instead of guessing. */
ICAL.design.strict = true;

const hostileTitle = 'Mañana; "plan, B" \\n 🎟 '.padEnd(140, 'é');

const { hub, maintainer } = useEventHub();

async function readCalendar(icsUrl: string) {
  const { pathname } = new URL(icsUrl);
  const response = await hub.fetch(pathname);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
  expectContentLines(response.text);
  const calendar = new ICAL.Component(ICAL.parse(response.text));
  expect(calendar.getAllSubcomponents().map(({ name }) => name)).toEqual(['vevent']);
  const event = new ICAL.Event(calendar.getFirstSubcomponent('vevent')!, { strictExceptions: true });
  return {
    method: calendar.getFirstPropertyValue('method'),
    version: calendar.getFirstPropertyValue('version'),
    status: event.component.getFirstPropertyValue('status'),
    stamp: event.component.getFirstPropertyValue('dtstamp'),
    uid: event.uid,
    sequence: event.sequence,
    summary: event.summary,
    description: event.description,
    location: event.location,
    organizer: event.organizer,
    attendees: event.attendees.length,
    start: event.startDate.toJSDate(),
    end: event.endDate.toJSDate(),
  };
}

/** RFC 5545 section 3.1: lines end with CRLF and have at most 75 octets. */
function expectContentLines(text: string): void {
  expect(text.endsWith('END:VCALENDAR\r\n')).toBe(true);
  const lines = text.split('\r\n').slice(0, -1);
  for (const line of lines) {
    expect(line).not.toMatch(/[\r\n]/);
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
  }
  expect(lines.filter((line) => line.startsWith('DTSTAMP:')).length).toBe(1);
}

const post = ({ bearerToken: token }: TestAgent, path: string, json?: object) =>
  hub.fetch(`/v1/events/${path}`, { method: 'POST', token, json });
const change = (id: string, json: object) =>
  hub.fetch(`/v1/events/${id}`, { method: 'PATCH', token: maintainer.bearerToken, json });
const confirm = (id: string, seat: { id: string }, json: object) =>
  post(maintainer, `${id}/seats/${seat.id}/meeting`, json);

async function reserve({ id }: { id: string }, agent?: TestAgent) {
  const by = agent ?? (await createTestAgent(hub.ctx, { tokens: 9 }));
  const { status, body } = await post(by, `${id}/reserve`, { idempotency_key: Bun.randomUUIDv7() });
  expect(status).toBe(200);
  return { agent: by, seat: body.seat, icsUrl: body.ics_url as string };
}

test('a reserved seat has a calendar file with the event, whatever characters its title has', async () => {
  const event = await createTestEvent(hub.ctx, {
    title: hostileTitle,
    description: 'One line\nand, another; with \\ in it',
    // Whole seconds, the resolution of iCalendar.
    startsAt: new Date(Math.ceil(hub.clock.now().getTime() / 1_000) * 1_000 + 72 * hourMs),
  });
  const { icsUrl, seat } = await reserve(event);
  const calendar = await readCalendar(icsUrl);
  expect(calendar).toMatchObject({
    method: 'PUBLISH',
    version: '2.0',
    status: 'CONFIRMED',
    uid: `${seat.id}@hub.test`,
    sequence: 0,
    summary: hostileTitle,
    start: event.startsAt,
    end: event.endsAt,
  });
  expect(calendar.description).toContain('One line\nand, another; with \\ in it');
  expect(calendar.stamp).not.toBeNull();
});

test('no text can inject a line or a property into the file', async () => {
  const hostile = 'x\nEND:VEVENT\nBEGIN:VEVENT\nATTENDEE:mailto:eve@evil.test\n\tMETHOD:CANCEL';
  const event = await createTestEvent(hub.ctx, {
    kind: 'office_hours',
    seatsTotal: 1,
    title: 'a;ATTENDEE=b:c,d\\\u2028STATUS:CANCELLED',
    presenter: 'Ada";SENT-BY="mailto:eve@evil.test',
    description: hostile.padEnd(8_000, '🎟'),
  });
  const { icsUrl, seat } = await reserve(event);
  const place = 'Room 1;X=2,3\\nURL:https://evil.test "quoted"';
  await confirm(event.id, seat, { starts_at: '2099-05-01T09:00:00Z', place });
  const calendar = await readCalendar(icsUrl);
  expect(calendar).toMatchObject({
    method: 'PUBLISH',
    status: 'CONFIRMED',
    summary: event.title,
    location: place,
    organizer: 'mailto:no-reply@hub.test',
    attendees: 0,
  });
  expect(calendar.description).toContain(event.description);
  for (const title of ['a\r\nATTENDEE:x', 'a\nb', 'a\u0085b'])
    expectError(await change(event.id, { title }), 400, 'invalid_body');
});

test('moving and cancelling a confirmed meeting raises SEQUENCE under the same UID, and the next seat has its own', async () => {
  const event = await createTestEvent(hub.ctx, { kind: 'office_hours', seatsTotal: 1 });
  const { icsUrl, seat, agent } = await reserve(event);
  const seen = [await readCalendar(icsUrl)];
  for (const starts_at of ['2099-05-01T09:00:00Z', '2099-05-02T09:00:00Z']) {
    await confirm(event.id, seat, { starts_at, place: 'Room 1' });
    seen.push(await readCalendar(icsUrl));
  }
  await post(agent, `${event.id}/cancel`);
  seen.push(await readCalendar(icsUrl));
  expect(new Set(seen.map(({ uid }) => uid)).size).toBe(1);
  expect(seen.map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3]);
  expect(seen.map(({ method }) => method)).toEqual(['PUBLISH', 'PUBLISH', 'PUBLISH', 'CANCEL']);
  expect(seen[2]!.start).toEqual(new Date('2099-05-02T09:00:00.000Z'));
  expect(seen[3]!.status).toBe('CANCELLED');
  expect((await readCalendar((await reserve(event, agent)).icsUrl)).uid).not.toBe(seen[0]!.uid);
});

test('moving an event raises SEQUENCE under the same UID, and cancelling it cancels the calendar entry', async () => {
  const event = await createTestEvent(hub.ctx);
  const { icsUrl } = await reserve(event);
  const before = await readCalendar(icsUrl);
  const startsAt = new Date('2099-01-01T10:00:00.000Z');
  await change(event.id, { starts_at: startsAt.toISOString(), ends_at: '2099-01-01T12:00:00+01:00' });
  const after = await readCalendar(icsUrl);
  expect([after.uid, after.start, after.end]).toEqual([
    before.uid,
    startsAt,
    new Date('2099-01-01T11:00:00.000Z'),
  ]);
  expect(after.sequence).toBeGreaterThan(before.sequence);
  await hub.fetch(`/v1/events/${event.id}`, { method: 'DELETE', token: maintainer.bearerToken });
  const cancelled = await readCalendar(icsUrl);
  expect(cancelled).toMatchObject({ uid: before.uid, method: 'CANCEL', status: 'CANCELLED' });
  expect(cancelled.sequence).toBeGreaterThan(after.sequence);
});

test('an unknown calendar URL is 404', async () => {
  expectError(await hub.fetch(`/v1/calendar/${'A'.repeat(24)}.ics`), 404, 'not_found');
  expectError(await hub.fetch('/v1/calendar/x.ics'), 400, 'invalid_parameter');
});
