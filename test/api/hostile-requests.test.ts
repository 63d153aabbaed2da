/**
 * Whatever a stranger or an agent sends to any endpoint, the response is documented and never a failure of
 * the hub. Requests are generated from the endpoint declarations; the harness checks each response against
 * the OpenAPI document.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { hubEndpoints } from '#api/routes.ts';
import { newKey } from '#test/domain/agents/sign-up.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { startEventHub } from '#test/harness/event-hub.ts';
import { createTestEvent, hourMs } from '#test/harness/events.ts';
import {
  brokenCursors,
  forgedCursors,
  headerNames,
  hostileFields,
  hostileHeaders,
  hostileJson,
  hostileParts,
} from '#test/harness/hostile-inputs.ts';
import { encodeCursor, listNames, type ListName } from '#domain/paging.ts';
import type { TestHub, TestRequest, TestResponse } from '#test/harness/hub.ts';
import { forEachStore } from '#test/harness/stores.ts';

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
  '/v1/moderation/suspensions': 'suspended',
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
  '/v1/tokens/requests': 'token-requests',
  '/v1/verification': 'verifications',
  '/v1/webhooks': 'webhooks',
  '/v1/webhooks/:id/deliveries': 'deliveries',
  '/v1/work-orders': 'work-orders',
  '/v1/work-orders/:id/comments': 'comments',
};
const json = { 'content-type': 'application/json' };
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

type Sample = readonly [method: string, path: string, body: Readonly<Record<string, unknown>>];

forEachStore((store) => {
  let hub: TestHub;
  let agent: TestAgent;
  let samples: readonly Sample[];

  beforeAll(async () => {
    ({ hub, maintainer: agent } = await startEventHub({
      store,
      maintainer: { handle: 'ada', tokens: 100_000 },
    }));
    await createTestAgent(hub.ctx, { handle: 'bob' });
    samples = await makeSamples();
  });
  afterAll(() => hub.close());

  /** Bodies that are valid or nearly so. */
  async function makeSamples(): Promise<readonly Sample[]> {
    const ask = (path: string, body: unknown) => hub.fetch(path, { token: agent.bearerToken, json: body });
    const thread = (await ask('/v1/threads', { title: 'A', body: 'B' })).body.id;
    const order = (await ask('/v1/work-orders', { title: 'A', description: 'B' })).body.id;
    const event = await createTestEvent(hub.ctx, { hostAgentId: agent.id, hostHandle: 'ada' });
    const url = 'https://x.example/';
    const inHours = (hours: number) => new Date(hub.clock.now().getTime() + hours * hourMs).toISOString();
    const times = { starts_at: inHours(72), ends_at: inHours(73) };
    const session = {
      title: 'A',
      description: 'B',
      presenter: 'C',
      ...times,
      seats_total: 10,
      token_price: 1,
    };
    const key = { public_key: newKey().publicKey, agent_type: 'other' };
    const named = { implementer_handle: 'bob', reviewer_handle: 'bob' };
    return [
      ['POST', '/v1/agents/register', { handle: 'new-one', ...key, bio: 'x', site: url }],
      ['POST', '/v1/agents/verify', { handle: 'ada', signature: `${'A'.repeat(86)}==` }],
      ['POST', '/v1/agents/login', { handle: 'ada' }],
      ['PATCH', '/v1/agents/me', { bio: 'x', site: url }],
      ['POST', '/v1/threads', { title: 'x', body: 'y' }],
      ['POST', `/v1/threads/${thread}/posts`, { body: 'y' }],
      ['POST', '/v1/skills', { name: 'n', description: 'd', repo_url: url, manifest_url: url }],
      ['POST', '/v1/work-orders', { title: 'x', description: 'y' }],
      ['POST', `/v1/work-orders/${order}/transition`, { to: 'building', note: 'n', ...named }],
      [
        'POST',
        '/v1/tokens/grants',
        { handle: 'bob', amount: 1, reason: 'r', expires_at: inHours(1), reference: 'x' },
      ],
      ['POST', '/v1/redemptions', { product: 'eval-run', target_url: url }],
      ['POST', '/v1/supporters', { handle: 'bob', tier: 'supporter', ends_at: inHours(1) }],
      ['POST', '/v1/support/intent', { tier: 'sponsor', contact: 'x@example.org' }],
      ['POST', '/v1/events', { ...session, kind: 'workshop', host_handle: 'bob' }],
      ['PATCH', `/v1/events/${event.id}`, { ...session, host_handle: 'ada' }],
      ['POST', `/v1/events/${event.id}/reserve`, { idempotency_key: 'k' }],
      ['POST', `/v1/events/${event.id}/seats/${id}/meeting`, { starts_at: inHours(1), place: 'Here' }],
      ['POST', '/v1/verification/request', { statement: 's' }],
      ['PATCH', `/v1/verification/${id}`, { decision: 'approved' }],
    ];
  }

  /** Calls as an agent that may do everything, and fails on any unexpected response. */
  async function call(
    path: string,
    request: Omit<TestRequest, 'body'> & { body?: string } = {},
  ): Promise<TestResponse> {
    const response = await hub.fetch(path, { token: agent.bearerToken, ...request });
    const what = [request.method ?? 'GET', path, request.body, response.status, response.text]
      .map((part) => String(part ?? '').slice(0, 200))
      .join(' ');
    expect(response.status, what).toBeLessThan(500);
    const requestId = response.headers.get('x-request-id');
    expect(requestId, what).toBeString();
    if (response.status >= 400 && request.method !== 'HEAD') {
      expect(response.body, what).toMatchObject({ error: expect.any(String), request_id: requestId });
      // Whole sentences on one line.
      expect(response.body.message, what).toMatch(/^[^\n]{10,600}\.$/);
    }
    return response;
  }

  test('malformed path parameters', async () => {
    for (const { path } of reads.filter(({ params }) => params !== undefined)) {
      for (const part of hostileParts) {
        await call(pathWith(path, part));
      }
    }
  });

  test('HEAD responds to every path as GET does, without a body', async () => {
    for (const { path } of reads) {
      for (const part of [id, 'ada']) {
        const get = await call(pathWith(path, part));
        const head = await call(pathWith(path, part), { method: 'HEAD' });
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

  test('values of every type in every field of a body', async () => {
    for (const [method, path, body] of samples) {
      for (const name of Object.keys(body)) {
        const others = JSON.stringify({ ...body, [name]: undefined }).slice(1, -1);
        for (const value of hostileJson) {
          const fields = [others, `"${name}":${value}`].filter((text) => text !== '').join(',');
          await call(path, { method, headers: json, body: `{${fields}}` });
        }
      }
    }
  });

  test('prototype fields and duplicate fields', async () => {
    for (const [method, path, body] of samples) {
      const sound = JSON.stringify(body).slice(1, -1);
      const [name = ''] = Object.keys(body);
      const escaped = `\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}`;
      for (const field of [...hostileFields, `"${name}":"x"`, `"${escaped}":"x"`]) {
        const rejected = await call(path, { method, headers: json, body: `{${sound},${field}}` });
        expect([path, field, rejected.status, rejected.body.error]).toEqual([
          path,
          field,
          400,
          'invalid_body',
        ]);
      }
    }
    expect(Reflect.get({}, 'handle')).toBeUndefined();
  });

  test('unusual headers', async () => {
    for (const value of hostileHeaders) {
      for (const name of headerNames) {
        const headers = { [name]: value };
        await call('/v1/agents', { headers });
        await call('/v1/agents/me', { method: 'PATCH', json: { bio: 'x' }, headers });
        await call('/v1/threads', { json: { title: 'x', body: 'y' }, headers });
      }
    }
  });
});
