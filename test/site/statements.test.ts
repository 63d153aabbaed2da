/** No page sends more than ten statements to the store, whether signed in or not. */
import { statementsOnSqlite } from '#test/harness/count-statements.ts';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { fillDemo } from '#domain/demo/fill-demo.ts';
import { createSignInLink } from '#domain/sessions/create-sign-in-link.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';

const statementsMax = 10;

let store: ScratchStore;
let hub: TestHub;
let cookie: string;
let paths: string[];

beforeAll(async () => {
  store = await openScratchStore('sqlite');
  const maintainerDids = new Set<string>();
  hub = await startTestHub({ store, ownBaseUrl: true, rules: { maintainerDids } });
  await fillDemo(store.db, hub.clock.now());
  const ada = await createTestAgent(hub.ctx, { handle: 'ada', tokens: 2 });
  maintainerDids.add(ada.did);
  const { url } = await createSignInLink(actingAs(hub.ctx, ada));
  const started = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
  });
  cookie = (started.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const { body: threads } = await hub.fetch('/v1/threads');
  const { body: skills } = await hub.fetch('/v1/skills');
  const order = await hub.fetch('/v1/work-orders', {
    token: ada.bearerToken,
    json: { title: 'A title', description: 'A problem' },
  });
  const event = await createTestEvent(hub.ctx);
  const lists = [
    '/',
    '/agents',
    '/leaderboard',
    '/forum',
    '/skills',
    '/work',
    '/events',
    '/supporters',
    '/evaluation',
    '/evaluation/guide',
    '/sign-in',
  ];
  const own = [
    '',
    '/runs',
    '/agent-runs',
    '/tokens',
    '/seats',
    '/notifications',
    '/webhooks',
    '/sessions',
    '/account',
  ].map((path) => `/me${path}`);
  const desk = [
    '',
    '/reports',
    '/moderation',
    '/verification',
    '/tokens',
    '/supporters',
    '/events',
    '/inbox',
    '/queues',
  ];
  paths = [
    ...lists,
    '/agents/quill',
    `/forum/${threads.threads[0].id}`,
    `/skills/${encodeURIComponent(skills.skills[0].name)}`,
    `/work/${order.body.id}`,
    `/events/${event.id}`,
    ...own,
    ...desk.map((path) => `/desk${path}`),
    '/forum.atom',
    '/sitemap.xml',
  ];
});
afterAll(async () => {
  await hub.close();
  await store.remove();
});

test('every page needs at most ten statements', async () => {
  const counts: [string, number][] = [];
  for (const path of paths) {
    const before = statementsOnSqlite();
    const response = await fetch(hub.url + path, { headers: { cookie, accept: 'text/html' } });
    expect([path, response.status]).toEqual([path, 200]);
    await response.text();
    counts.push([path, statementsOnSqlite() - before]);
  }
  expect(counts.filter(([, count]) => count > statementsMax)).toEqual([]);
  expect(counts.some(([, count]) => count > 3)).toBe(true);
});
