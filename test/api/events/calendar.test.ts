/** Calendar files: strict iCalendar that a calendar library opens, brought up to date under one UID. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import ICAL from 'ical.js';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { createTestEvent, hourMs, startTestSeats, type TestSeats } from '#test/harness/events.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { forEachStore } from '#test/harness/stores.ts';

const hostileTitle = 'Mañana; "plan, B" \\n 🎟 '.padEnd(140, 'é');

forEachStore((store) => {
  let hub: TestHub;
  let seats: TestSeats;
  let maintainer: TestAgent;
  const maintainerDids = new Set<string>();
  beforeAll(async () => {
    hub = await startTestHub({ store, rules: { maintainerDids } });
    seats = await startTestSeats(hub.ctx, hub.redisUrl);
    maintainer = await createTestAgent(hub.ctx);
    maintainerDids.add(maintainer.did);
  });
  afterAll(async () => {
    await seats.stop();
    await hub.close();
  });

  async function readCalendar(icsUrl: string) {
    const { pathname } = new URL(icsUrl);
    const response = await hub.fetch(pathname);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    expectContentLines(response.text);
    const calendar = new ICAL.Component(ICAL.parse(response.text));
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
      start: event.startDate.toJSDate(),
      end: event.endDate.toJSDate(),
    };
  }

  /** RFC 5545 section 3.1: lines end with CRLF, and none is longer than 75 octets. */
  function expectContentLines(text: string): void {
    expect(text.endsWith('END:VCALENDAR\r\n')).toBe(true);
    const lines = text.split('\r\n').slice(0, -1);
    for (const line of lines) {
      expect(line).not.toMatch(/[\r\n]/);
      expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
    }
    expect(lines.filter((line) => line.startsWith('DTSTAMP:')).length).toBe(1);
  }

  async function reserve(event: { id: string }) {
    const agent = await createTestAgent(hub.ctx, { tokens: 9 });
    const answer = await hub.fetch(`/v1/events/${event.id}/reserve`, {
      token: agent.bearerToken,
      json: { idempotency_key: 'k' },
    });
    expect(answer.status).toBe(200);
    return { agent, seat: answer.body.seat, icsUrl: answer.body.ics_url as string };
  }

  test('a reserved seat has a calendar file with the event in it, whatever characters its title has', async () => {
    const event = await createTestEvent(hub.ctx, {
      title: hostileTitle,
      description: 'One line\nand, another; with \\ in it',
      // Whole seconds: iCalendar knows no others.
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

  test('a moved event raises SEQUENCE under the same UID, and a cancelled one takes the entry back', async () => {
    const event = await createTestEvent(hub.ctx);
    const { icsUrl } = await reserve(event);
    const before = await readCalendar(icsUrl);
    const startsAt = new Date('2099-01-01T10:00:00.000Z');
    const moved = await hub.fetch(`/v1/events/${event.id}`, {
      method: 'PATCH',
      token: maintainer.bearerToken,
      json: { starts_at: startsAt.toISOString(), ends_at: '2099-01-01T12:00:00+01:00' },
    });
    expect(moved.status).toBe(200);
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

  test('a cancelled seat takes its entry back, and the next seat of the same agent has its own', async () => {
    const event = await createTestEvent(hub.ctx);
    const { icsUrl, agent } = await reserve(event);
    const before = await readCalendar(icsUrl);
    await hub.fetch(`/v1/events/${event.id}/cancel`, { method: 'POST', token: agent.bearerToken });
    const cancelled = await readCalendar(icsUrl);
    expect(cancelled).toMatchObject({ uid: before.uid, method: 'CANCEL', status: 'CANCELLED' });
    expect(cancelled.sequence).toBeGreaterThan(before.sequence);
    const again = await hub.fetch(`/v1/events/${event.id}/reserve`, {
      token: agent.bearerToken,
      json: { idempotency_key: 'k2' },
    });
    expect((await readCalendar(again.body.ics_url)).uid).not.toBe(before.uid);
  });

  test('an address that nobody was given has no calendar', async () => {
    const unknown = await hub.fetch(`/v1/calendar/${'A'.repeat(24)}.ics`);
    expect([unknown.status, unknown.body.error]).toEqual([404, 'calendar_not_found']);
    expect((await hub.fetch('/v1/calendar/x.ics')).body.error).toBe('invalid_parameter');
  });
});
