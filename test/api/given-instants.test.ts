/**
 * Every field that takes an instant rejects a date that does not exist, before anything happens.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { TestAgent } from '#test/harness/agents.ts';
import { startEventHub } from '#test/harness/event-hub.ts';
import { createTestEvent } from '#test/harness/events.ts';
import type { TestHub } from '#test/harness/hub.ts';
import { onStore } from '#test/harness/stores.ts';

const impossible = [
  '2998-12-31T23:59:60Z',
  '2998-02-30T12:00:00Z',
  '2998-02-30T12:00:00+01:00',
  '2998-13-01T00:00:00Z',
  '2998-12-31T24:00:00Z',
  '9999-12-31T23:59:59-23:59',
  '0000-06-01T00:00:00Z',
  '0001-01-01T00:00:00+23:59',
];

onStore('sqlite', (store) => {
  let hub: TestHub;
  let maintainer: TestAgent;
  beforeAll(async () => {
    ({ hub, maintainer } = await startEventHub({ store, maintainer: { handle: 'maintainer', tokens: 10 } }));
  });
  afterAll(() => hub.close());

  const send = (path: string, json: unknown, method = 'POST') =>
    hub.fetch(path, { method, token: maintainer.bearerToken, json });
  const read = async (path: string) => (await hub.fetch(path, { token: maintainer.bearerToken })).body;

  async function rejectsEach(field: string, ask: (instant: string) => ReturnType<typeof send>) {
    for (const instant of impossible) {
      const { status, body } = await ask(instant);
      expect([instant, status, body.error]).toEqual([instant, 400, 'invalid_body']);
      expect(body.message).toStartWith(`\`${field}\` `);
    }
  }

  test('`expires_at` of a grant', async () => {
    await rejectsEach('expires_at', (expires_at) =>
      send('/v1/tokens/grants', { handle: 'maintainer', amount: 1, reason: 'For a test', expires_at }),
    );
    expect((await read('/v1/tokens/history')).entries).toHaveLength(1);
  });

  test('`ends_at` of a supporter', async () => {
    await rejectsEach('ends_at', (ends_at) =>
      send('/v1/supporters', { handle: 'maintainer', tier: 'sponsor', ends_at }),
    );
    expect(await read('/v1/supporter/list')).toEqual([]);
  });

  test('`starts_at` and `ends_at` of an event', async () => {
    const event = {
      kind: 'workshop',
      title: 'A workshop',
      description: 'About instants',
      presenter: 'Ada',
      starts_at: '2998-12-31T12:00:00Z',
      ends_at: '2998-12-31T13:00:00Z',
      seats_total: 2,
      token_price: 0,
    };
    await rejectsEach('starts_at', (starts_at) => send('/v1/events', { ...event, starts_at }));
    await rejectsEach('ends_at', (ends_at) => send('/v1/events', { ...event, ends_at }));
    expect((await read('/v1/events')).events).toEqual([]);
    const made = await createTestEvent(hub.ctx);
    await rejectsEach('starts_at', (starts_at) => send(`/v1/events/${made.id}`, { starts_at }, 'PATCH'));
    await rejectsEach('ends_at', (ends_at) => send(`/v1/events/${made.id}`, { ends_at }, 'PATCH'));
    expect((await read(`/v1/events/${made.id}`)).event).toMatchObject({
      starts_at: made.startsAt.toISOString(),
      ends_at: made.endsAt.toISOString(),
    });
  });

  test('`starts_at` of a meeting', async () => {
    const event = await createTestEvent(hub.ctx, {
      kind: 'office_hours',
      seatsTotal: 1,
      hostAgentId: maintainer.id,
      hostHandle: maintainer.handle,
    });
    const { seat } = (await send(`/v1/events/${event.id}/reserve`, { idempotency_key: 'k' })).body;
    await rejectsEach('starts_at', (starts_at) =>
      send(`/v1/events/${event.id}/seats/${seat.id}/meeting`, { starts_at, place: 'Room 1' }),
    );
    expect((await read('/v1/agents/me/seats')).seats[0].meeting.starts_at).toBeNull();
  });
});
