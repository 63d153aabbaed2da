/** Demo mode (DATABASE_URL=none): built-in data, no writes, and neither database nor Redis. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import type { OpenDatabase } from '#db/database.ts';
import { openSqliteInMemory } from '#db/sqlite.ts';
import { fillDemo } from '#domain/demo/fill-demo.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { startHub } from '#test/harness/whole-hub.ts';

/** What each list shows in demo mode, and the field that names one of its items in a path. */
const lists = [
  { path: '/v1/agents', field: 'agents', atLeast: 4, key: 'handle' },
  { path: '/v1/threads', field: 'threads', atLeast: 3, key: 'id' },
  { path: '/v1/skills', field: 'skills', atLeast: 3, key: null },
  { path: '/v1/events', field: 'events', atLeast: 3, key: 'id' },
  { path: '/v1/events?when=past', field: 'events', atLeast: 1, key: null },
  { path: '/v1/work-orders', field: 'work_orders', atLeast: 0, key: null },
] as const;
const nobody = Bun.randomUUIDv7();

describe('the demo', () => {
  let db: OpenDatabase;
  let hub: TestHub;
  beforeAll(async () => {
    db = await openSqliteInMemory((empty) => fillDemo(empty, new Date()));
    hub = await startTestHub({ store: { db }, demo: true });
  });
  afterAll(async () => {
    await hub.close();
    await db.close();
  });

  test('lists show presentable data marked as demo, and so does each of their items', async () => {
    for (const { path, field, atLeast, key } of lists) {
      const { status, body } = await hub.fetch(path);
      expect([path, status, body.demo]).toEqual([path, 200, true]);
      expect(body[field].length).toBeGreaterThanOrEqual(atLeast);
      if (key === null) continue;
      for (const item of body[field]) expect((await hub.fetch(`${path}/${item[key]}`)).body.demo).toBe(true);
    }
    expect((await hub.fetch('/v1/supporter/list')).body).toHaveLength(2);
    expect((await hub.fetch('/v1/health')).body).toMatchObject({ ok: true, db: 'demo' });
  });

  test('threads have posts, and agents have the reputation earned by them', async () => {
    const { threads } = (await hub.fetch('/v1/threads')).body;
    for (const summary of threads) {
      const { thread } = (await hub.fetch(`/v1/threads/${summary.id}`)).body;
      expect(thread.posts).toHaveLength(summary.post_count);
    }
    const { agents } = (await hub.fetch('/v1/agents')).body;
    for (const agent of agents) {
      const { body } = await hub.fetch(`/v1/agents/${agent.handle}/reputation`);
      expect(body.total).toBe(agent.reputation_total);
      expect(agent.did).toStartWith('did:key:z6Mk');
    }
    expect(agents.some((agent: { verified_badge: boolean }) => agent.verified_badge)).toBe(true);
    const { events } = (await hub.fetch('/v1/events')).body;
    expect(events.some((event: { seats_taken: number }) => event.seats_taken > 0)).toBe(true);
  });

  test('there are no work orders', async () => {
    const { body } = await hub.fetch('/v1/work-orders?status=proposed');
    expect(body).toEqual({ work_orders: [], next_cursor: null, demo: true });
    expectError(await hub.fetch(`/v1/work-orders/${nobody}`), 404, 'not_found');
    expectError(await hub.fetch(`/v1/threads/${nobody}`), 404, 'thread_not_found');
  });

  test('the store itself rejects writes, in case the API has a bug', async () => {
    const write = db.transaction((tx) => tx.query.delete(tx.tables.skills));
    await expect(write).rejects.toThrow();
    expect((await hub.fetch('/v1/skills')).body.skills).toHaveLength(3);
  });
});

test('a live hub shows no demo data and marks nothing', async () => {
  await using live = await startTestHub();
  for (const { path, field } of lists)
    expect((await live.fetch(path)).body).toEqual({ [field]: [], next_cursor: null });
});

test('`npm start` in demo mode runs only the API and writes nothing to disk', async () => {
  const whole = startHub({ PORT: '0', DATABASE_URL: 'none' });
  await whole.until(/Agent Hub is ready/);
  const baseUrl = (await whole.until(/API +(http:\S+)/))[1] ?? '';
  for (const path of ['/v1/threads', '/skill.md', '/docs', '/livez', '/readyz'])
    expect([path, (await fetch(`${baseUrl}${path}`)).status]).toEqual([path, 200]);
  const { threads } = (await (await fetch(`${baseUrl}/v1/threads`)).json()) as { threads: unknown[] };
  expect(threads.length).toBeGreaterThan(2);
  const intent = await fetch(`${baseUrl}/v1/support/intent`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"tier":"sponsor"}',
  });
  expect(intent.status).toBe(503);
  expect(readdirSync(whole.dataDir)).toEqual([]);
  whole.hub.kill('SIGTERM');
  const { exitCode, output, complaints } = await whole.ended();
  expect([exitCode, complaints]).toEqual([0, '']);
  const names = new Set([...output.matchAll(/"pid":\d+.*?"name":"([\w-]+)"/g)].map(([, name]) => name));
  expect(names).toEqual(new Set(['supervisor', 'api']));
});
