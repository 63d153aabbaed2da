/** Events over HTTP, on both stores: create, change, cancel, list, and who may do so. */
import { expect, test } from 'bun:test';
import { listEvents } from '#domain/events/list-events.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { useEventHub } from '#test/harness/event-hub.ts';
import { createTestEvent, hourMs } from '#test/harness/events.ts';
import { type TestResponse, useTestAgent } from '#test/harness/hub.ts';
import { faultOf, plansOf } from '#test/harness/query-plans.ts';
import { forEachStore, onStore } from '#test/harness/stores.ts';
import { waitlistMax } from '#domain/events/event-limits.ts';
import { type EventRow } from '#domain/events/event-rows.ts';
import { createId } from '#runtime/create-id.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { expectError } from '#test/harness/expect-error.ts';

forEachStore((store) => {
  const { hub, maintainer } = useEventHub({ store });
  const agent = useTestAgent(hub, { tokens: 1_000 });

  const inHours = (hours: number): string =>
    new Date(hub.clock.now().getTime() + hours * hourMs).toISOString();
  const workshop = (changes = {}) => ({
    kind: 'workshop',
    title: 'Tool use',
    description: 'Two hours of practice.\nBring tools.',
    presenter: 'Grace',
    starts_at: inHours(48),
    ends_at: inHours(50),
    seats_total: 5,
    token_price: 3,
    ...changes,
  });
  const send = (method: string, path: string, json?: object) =>
    hub.fetch(`/v1/events${path}`, { method, token: maintainer.bearerToken, json });
  const announce = (json: object) => send('POST', '', json);
  const change = (id: string, json: object) => send('PATCH', `/${id}`, json);
  const reserve = (id: string, by: TestAgent, key = 'k') =>
    hub.fetch(`/v1/events/${id}/reserve`, { token: by.bearerToken, json: { idempotency_key: key } });

  test('a maintainer creates an event, and everybody can read it', async () => {
    const announced = await announce(workshop());
    expect(announced.status).toBe(201);
    const { event } = announced.body;
    expect(event).toEqual({
      ...workshop(),
      id: event.id,
      host_handle: maintainer.handle,
      seats_taken: 0,
      seats_available: 5,
      status: 'scheduled',
      created_at: hub.clock.now().toISOString(),
    });
    expect((await hub.fetch(`/v1/events/${event.id}`)).body).toEqual({ event });
    const { events } = (await hub.fetch('/v1/events')).body;
    expect(events.find(({ id }: { id: string }) => id === event.id)).toEqual(event);
  });

  test('an event must have a possible time and, for office hours, one seat', async () => {
    for (const changes of [
      { starts_at: '2000-01-01T00:00:00Z', ends_at: '2000-01-01T01:00:00Z' },
      { starts_at: '2099-13-41T00:00:00Z' },
      { kind: 'office_hours', seats_total: 2 },
    ])
      expectError(await announce(workshop(changes)), 400, 'invalid_body');
  });

  test('the host of an event must be a registered agent', async () => {
    const hosted = await announce(workshop({ host_handle: agent.handle }));
    expect(hosted.body.event.host_handle).toBe(agent.handle);
    expectError(await announce(workshop({ host_handle: 'nobody-at-all' })), 400, 'unknown_agent');
    const { id } = hosted.body.event;
    expectError(await change(id, { host_handle: 'nobody-at-all' }), 400, 'unknown_agent');
    expect((await hub.fetch(`/v1/events/${id}`)).body.event.host_handle).toBe(agent.handle);
  });

  test('a change takes effect at once and keeps taken seats and paid prices', async () => {
    const { id } = (await announce(workshop())).body.event;
    await reserve(id, agent);
    const changed = await change(id, { title: 'Tools, again', token_price: 7, seats_total: 1 });
    expect(changed.status).toBe(200);
    expect(changed.body.event).toMatchObject({
      title: 'Tools, again',
      presenter: 'Grace',
      token_price: 7,
      seats_total: 1,
      seats_taken: 1,
      seats_available: 0,
    });
    expect((await hub.fetch(`/v1/events/${id}`)).body).toEqual(changed.body);
    const other = await createTestAgent(hub.ctx, { tokens: 10 });
    expectError(await reserve(id, other), 409, 'sold_out');
    await change(id, { seats_total: 2 });
    expect((await reserve(id, other)).body.seat.price_paid).toBe(7);
    expectError(await change(id, { seats_total: 1 }), 409, 'seats_taken');
    expectError(await change(id, { ends_at: inHours(1) }), 400, 'invalid_body');
  });

  test('an event is cancelled once, and then neither changed nor booked', async () => {
    const { id } = (await announce(workshop())).body.event;
    const [first, second] = [await send('DELETE', `/${id}`), await send('DELETE', `/${id}`)];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.body.event).toMatchObject({ status: 'cancelled', seats_taken: 0 });
    expect(second.body).toEqual(first.body);
    expectError(await reserve(id, agent, 'another key'), 409, 'event_cancelled');
    expectError(await change(id, { title: 'x' }), 409, 'event_cancelled');
  });

  test('events are listed soonest first, past events separately, in pages', async () => {
    const own = 'paged';
    const made: string[] = [];
    const announceAt = async (from: number, to: number): Promise<string> =>
      (await announce(workshop({ title: own, starts_at: inHours(from), ends_at: inHours(to) }))).body.event
        .id;
    for (const hours of [500, 300, 400]) made.push(await announceAt(hours, hours + 1));
    /** The own events, a page of one event after the other. */
    const idsOf = async (when: string): Promise<string[]> => {
      const seen: string[] = [];
      const starts: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
        const page: TestResponse = await hub.fetch(`/v1/events?when=${when}&limit=1${after}`);
        for (const event of page.body.events) {
          starts.push(event.starts_at);
          if (event.title === own) seen.push(event.id);
        }
        cursor = page.body.next_cursor;
        expect(page.headers.get('link') === null).toBe(cursor === null);
      }
      const soonestFirst = starts.toSorted();
      expect(starts).toEqual(when === 'upcoming' ? soonestFirst : soonestFirst.toReversed());
      return seen;
    };
    expect(await idsOf('upcoming')).toEqual([made[1]!, made[2]!, made[0]!]);

    const long = await announceAt(200, 401);
    const longerThanADay = await announceAt(376.25, 400.75);
    const exactlyADay = await announceAt(376.75, 400.75);
    const now = hub.clock.now();
    hub.clock.set(new Date(inHours(400.5)));
    expect(await idsOf('upcoming')).toEqual([long, longerThanADay, exactlyADay, made[2]!, made[0]!]);
    expect(await idsOf('past')).toEqual([made[1]!]);
    hub.clock.advance(hourMs);
    expect(await idsOf('upcoming')).toEqual([made[0]!]);
    expect(await idsOf('past')).toEqual([made[2]!, exactlyADay, longerThanADay, made[1]!, long]);
    hub.clock.set(now);
  });

  test('what is cancelled can be left out', async () => {
    const startsAt = new Date(hub.clock.now().getTime() + hourMs);
    const on = await createTestEvent(hub.ctx, { startsAt });
    const off = await createTestEvent(hub.ctx, { startsAt, status: 'cancelled' });
    const upcoming = { when: 'upcoming', limit: 500, cursor: null } as const;
    for (const [asked, isShown] of [
      [upcoming, [true, true]],
      [{ ...upcoming, status: 'scheduled' }, [true, false]],
    ] as const) {
      const ids = (await listEvents(hub.ctx, asked)).items.map(({ id }) => id);
      expect([on, off].map(({ id }) => ids.includes(id))).toEqual([...isShown]);
    }
  });

  test('only the index tells upcoming events from past ones, however many began in the last month', async () => {
    const page = { limit: 20, cursor: null };
    const upcoming = await plansOf(store, () => listEvents(hub.ctx, { ...page, when: 'upcoming' }));
    const past = await plansOf(store, () => listEvents(hub.ctx, { ...page, when: 'past' }));
    expect(upcoming[0]).toContain('long_events_by_start');
    expect([upcoming.length, past.length]).toEqual([2, 1]);
    for (const plan of [...upcoming, ...past]) {
      expect(plan).toContain('events_by_start');
      expect(faultOf(plan)).toBeNull();
      // SQLite does not say what it compares in the index.
      if (store.setting.kind === 'postgres') {
        expect(plan).toMatch(/Index Cond: .*ends_at/);
        expect(plan).not.toContain('Filter');
      }
    }
  });

  test('agents list their own seats, newest first, each with its event', async () => {
    const me = await createTestAgent(hub.ctx, { tokens: 10 });
    const [one, two] = [await createTestEvent(hub.ctx), await createTestEvent(hub.ctx)];
    await reserve(one.id, me, 'one');
    await reserve(two.id, me, 'two');
    const seats = async (query: string) =>
      (await hub.fetch(`/v1/agents/me/seats?${query}`, { token: me.bearerToken })).body;
    const first = await seats('limit=1');
    const { id, title, kind } = two;
    const [starts_at, ends_at] = [two.startsAt.toISOString(), two.endsAt.toISOString()];
    expect(first.seats).toMatchObject([{ event_id: id, event: { id, title, kind, starts_at, ends_at } }]);
    const second = await seats(`cursor=${first.next_cursor}`);
    expect(second).toMatchObject({ seats: [{ event_id: one.id }], next_cursor: null });
  });
});

/** Errors of the event endpoints: unknown events, and refusals of waitlists. */
onStore('sqlite', (store) => {
  const { hub, maintainer } = useEventHub({ store });

  const send = (method: string, path: string, json?: object) =>
    hub.fetch(path, { method, token: maintainer.bearerToken, json });

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
    ])
      expectError(response, 404, 'event_not_found');
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
