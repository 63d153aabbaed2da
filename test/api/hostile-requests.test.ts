/** Whatever method, query and cursor an agent sends to a list or a thing, the response is documented and no failure of the hub. */
import { beforeAll, expect, test } from 'bun:test';
import { hubEndpoints } from '#api/routes.ts';
import { encodeCursor, listNames, type ListName } from '#domain/paging.ts';
import { type TestResponse, useTestAgent, useTestHub } from '#test/harness/hub.ts';

const id = Bun.randomUUIDv7();
/** Without the inbox, which has no key here. */
const listAt: Readonly<Record<string, ListName>> = {
  '/v1/agents': 'agents',
  '/v1/agents/me/seats': 'own-seats',
  '/v1/agents/me/tokens': 'bearer-tokens',
  '/v1/eval-jobs': 'runs',
  '/v1/events': 'events',
  '/v1/events/:event_id/seats': 'event-seats',
  '/v1/leaderboard': 'leaderboard',
  '/v1/moderation/log': 'moderation',
  '/v1/reports': 'reports',
  '/v1/runs': 'runs',
  '/v1/skills': 'skills',
  '/v1/suites': 'suites',
  '/v1/suites/:owner/:name/runs': 'runs',
  '/v1/suites/:owner/:name/runs/:run_id': 'run-cases',
  '/v1/suites/:owner/:name/versions': 'suite-versions',
  '/v1/supporter/list': 'supporters',
  '/v1/threads': 'threads',
  '/v1/threads/:id': 'posts',
  '/v1/tokens/history': 'entries',
  '/v1/tokens/requests': 'requests',
  '/v1/verification': 'requests',
  '/v1/webhooks': 'webhooks',
  '/v1/webhooks/:id/deliveries': 'deliveries',
  '/v1/work-orders': 'work-orders',
  '/v1/work-orders/:id/comments': 'comments',
};
// Event streams do not end, and the checkout is not configured here.
const leftOut = ['/v1/runs/:id/events', '/checkout'];
const access = ['none', 'optional', 'agent', 'maintainer', 'operator'];
const reads = hubEndpoints.filter(
  ({ method, path, auth }) => method === 'GET' && access.includes(auth) && !leftOut.includes(path),
);
/** The cursors of feeds have tests of their own. */
const lists = reads.filter(
  ({ path, query }) => path !== '/v1/notifications' && query !== undefined && 'cursor' in query.properties,
);
const pathWith = (path: string, part: string) => path.replaceAll(/:[^/]+/g, part);

/** Keys for forged cursors of this or another list. */
const keys: readonly unknown[][] = [
  [],
  ['', ''],
  [id, id],
  [2 ** 31, 'x'],
  [1.5, 'x'],
  ...['\0', '\ud800', 'x'.repeat(150)].map((text) => [0, text]),
  ...[null, 1, 'x', id, {}, [], true, -1, 2 ** 31, 1.5, '\0', id.toUpperCase(), `${id} `].map((key) => [key]),
  ...[1, 1e308, -1, 2 ** 53, 2 ** 53 - 1, 8.64e15, -8.64e15, 253_402_300_800_000].map((key) => [key, id]),
];

/** Well-formed cursors that the list has not issued. */
function forgedCursors(list: ListName): readonly string[] {
  return [
    // Forged keys may have any type.
    ...keys.map((key) => encodeCursor(list, key as string[])),
    ...'_ - AAAA bnVsbA e30 MQ Ij W10'.split(' '),
    'a'.repeat(300),
  ];
}

/** Malformed cursors, as written in a URL. */
const brokenCursors = ['', '%00', '%20', 'a%2Bb', '%F0%9F%98%80', 'a'.repeat(301)];

const maintainerDids = new Set<string>();
const hub = useTestHub({ rules: { maintainerDids } });
const agent = useTestAgent(hub, { handle: 'ada' });
beforeAll(async () => {
  maintainerDids.add(agent.did);
});

/** Calls as an agent that may do everything, and fails on any unexpected response. */
async function call(path: string, method = 'GET'): Promise<TestResponse> {
  const response = await hub.fetch(path, { token: agent.bearerToken, method });
  const what = `${method} ${path} ${response.status} ${response.text.slice(0, 200)}`;
  expect(response.status, what).toBeLessThan(500);
  const requestId = response.headers.get('x-request-id');
  expect(requestId, what).toBeString();
  if (response.status >= 400 && method !== 'HEAD') {
    expect(response.body, what).toMatchObject({ error: expect.any(String), request_id: requestId });
    // Whole sentences on one line.
    expect(response.body.message, what).toMatch(/^[^\n]{10,600}\.$/);
  }
  return response;
}

test('HEAD responds to every path as GET does, without a body', async () => {
  for (const { path } of reads) {
    for (const part of [id, 'ada']) {
      const get = await call(pathWith(path, part));
      const head = await call(pathWith(path, part), 'HEAD');
      expect([path, head.status, head.text]).toEqual([path, get.status, '']);
      for (const name of ['content-type', 'etag', 'cache-control', 'www-authenticate'])
        expect([path, head.headers.get(name)]).toEqual([path, get.headers.get(name)]);
    }
  }
});

test('a repeated query parameter, however it is written', async () => {
  for (const { path, query } of reads) {
    for (const name of Object.keys(query?.properties ?? {})) {
      const encoded = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
      for (const again of [name, encoded]) {
        const { status, body } = await call(`${pathWith(path, id)}?${name}=1&${again}=1`);
        expect([path, again, status, body.error]).toEqual([path, again, 400, 'invalid_parameter']);
      }
    }
  }
});

test('a cursor of another list', async () => {
  expect(lists.map(({ path }) => path).toSorted()).toEqual(Object.keys(listAt).toSorted());
  // Lists below an unknown parent are 404.
  for (const [path, list] of Object.entries(listAt).filter(([path]) => !path.includes(':'))) {
    for (const other of listNames.filter((name) => name !== list)) {
      const { status } = await call(`${pathWith(path, id)}?cursor=${encodeCursor(other, [id])}`);
      expect([path, other, status]).toEqual([path, other, 400]);
    }
  }
});

test('forged and malformed cursors', async () => {
  for (const [path, list] of Object.entries(listAt)) {
    for (const cursor of forgedCursors(list)) await call(`${pathWith(path, id)}?cursor=${cursor}`);
    for (const cursor of brokenCursors) {
      const { status } = await call(`${pathWith(path, id)}?cursor=${cursor}`);
      expect([path, cursor, status]).toEqual([path, cursor, 400]);
    }
  }
});
