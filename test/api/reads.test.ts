import { describe, expect, test } from 'bun:test';
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { edge, input, replies } from '#api/plugins/edge.ts';
import { object, paging } from '#api/schemas.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { useProcessOf, useTestHub } from '#test/harness/hub.ts';

let content = 'first';
let streamEnded = false;
const schema = object({ content: Type.String() });
const response = replies({ 200: { description: 'It.', schema } });
const detail = () => ({ summary: 'Read' });
function stream(): Response {
  const events = new ReadableStream({
    start: (controller) => controller.enqueue('data: 1\n\n'),
    cancel: () => void (streamEnded = true),
  });
  return new Response(events, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-transform' },
  });
}
const modules = [
  new Elysia({ tags: ['service'] })
    .use(edge)
    .get('/open', () => ({ content }), { anyone: true, response, detail: detail() })
    .get('/mine', () => ({ content }), { agent: true, response, detail: detail() })
    .get('/list', ({ query }) => ({ query }), {
      anyone: true,
      query: input(
        object({
          ...paging(20),
          deep: Type.Optional(Type.Boolean()),
          name: Type.Optional(Type.String({ maxLength: 5 })),
        }),
      ),
      response: replies({ 200: { description: 'The query.', schema: object({ query: Type.Unknown() }) } }),
      detail: detail(),
    })
    .get('/stream', stream, {
      anyone: true,
      response: replies({ 200: { description: 'Events.', contentType: 'text/event-stream' } }),
      detail: detail(),
    }),
];

const hub = useTestHub({ modules });

describe('a public read', () => {
  test('has a weak tag, and gets 304 while the content is unchanged', async () => {
    const first = await hub.fetch('/open');
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^W\/"[^"]+"$/);
    expect(first.headers.get('cache-control')).toBe('no-cache');
    for (const ifNoneMatch of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
      const again = await hub.fetch('/open', { headers: { 'if-none-match': ifNoneMatch } });
      expect([ifNoneMatch, again.status, again.text]).toEqual([ifNoneMatch, 304, '']);
      expect(again.headers.get('etag')).toBe(tag);
      expect(again.headers.get('x-request-id')).not.toBeNull();
    }
    content = 'second';
    const changed = await hub.fetch('/open', { headers: { 'if-none-match': tag } });
    expect([changed.status, changed.body]).toEqual([200, { content: 'second' }]);
    expect(changed.headers.get('etag')).not.toBe(tag);
  });

  test('gets the full response for an unknown tag', async () => {
    for (const tag of ['"x"', 'W/"x"', 'x', ''])
      expect((await hub.fetch('/open', { headers: { 'if-none-match': tag } })).status).toBe(200);
  });
});

test('a private read must not be stored and has no tag', async () => {
  const { bearerToken } = await createTestAgent(hub.ctx);
  const response = await hub.fetch('/mine', { token: bearerToken, headers: { 'if-none-match': '*' } });
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('etag')).toBeNull();
});

test('HEAD of a stream ends the stream', async () => {
  const response = await hub.fetch('/stream', { method: 'HEAD' });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  expect(streamEnded).toBe(true);
});

test('a stream keeps its own headers and gets the common ones', async () => {
  const response = await fetch(`${hub.url}/stream`);
  expect(response.headers.get('cache-control')).toBe('no-transform');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('x-frame-options')).toBe('DENY');
  expect(response.headers.get('x-request-id')).not.toBeNull();
  await response.body?.cancel();
});

test('OPTIONS lists the methods, and nothing about other origins', async () => {
  const response = await hub.fetch('/open', {
    method: 'OPTIONS',
    headers: { origin: 'https://page.example', 'access-control-request-method': 'GET' },
  });
  expect([response.status, response.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
});

describe('a query', () => {
  test('is converted to the declared types', async () => {
    expect((await hub.fetch('/list?limit=7&deep=true&name=%C3%A4')).body).toEqual({
      query: { limit: 7, deep: true, name: 'ä' },
    });
  });

  test('may contain undeclared parameters', async () => {
    expect((await hub.fetch('/list?utm_source=x&utm_source=y&_=1')).body).toEqual({ query: {} });
  });

  test.each([
    ['limit=0', '`limit` must be at least 1; it is 0.'],
    ['limit=ten', '`limit` must be a whole number; it is "ten".'],
    ['limit=1.5', '`limit` must be a whole number; it is 1.5.'],
    ['limit=', '`limit` must be a whole number; it is "".'],
    ['limit=1e1', '`limit` must be a whole number; it is "1e1".'],
    ['limit=0x10', '`limit` must be a whole number; it is "0x10".'],
    ['limit=%201', '`limit` must be a whole number; it is " 1".'],
    ['deep=yes', '`deep` must be true or false; it is "yes".'],
    ['cursor=a%20b', '`cursor` must be the `next_cursor` of an earlier page.'],
  ])('%s is 400', async (query, message) => {
    const response = await hub.fetch(`/list?${query}`);
    expectError(response, 400, 'invalid_parameter');
    expect(response.body.message).toBe(message);
  });
});

describe('pages of listed origins', () => {
  const listed = useProcessOf(hub, { modules, settings: { corsOrigins: ['https://page.example'] } });
  const open = useProcessOf(hub, { modules, settings: { corsOrigins: ['*'] } });
  const from = (origin: string) => ({ headers: { origin } });

  test('may read responses and errors, and caches learn that they depend on the origin', async () => {
    // An error outside the API is a page for people, so it also depends on `Accept`.
    const varies = { '/open': 'Origin', '/nowhere': 'Accept, Origin', '/mine': 'Accept, Origin' };
    for (const [path, vary] of Object.entries(varies)) {
      const { headers } = await listed.fetch(path, from('https://page.example'));
      expect(headers.get('access-control-allow-origin')).toBe('https://page.example');
      expect(headers.get('access-control-expose-headers')).toMatch(/WWW-Authenticate.*X-Request-Id/);
      expect([path, headers.get('vary')]).toEqual([path, vary]);
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
  });

  test('of other origins may not', async () => {
    for (const origin of ['https://other.example', 'https://page.example.evil', 'null']) {
      const { headers } = await listed.fetch('/open', from(origin));
      expect([headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([null, 'Origin']);
    }
  });

  test('may send preflight requests', async () => {
    const { status, headers } = await listed.fetch('/mine', {
      method: 'OPTIONS',
      headers: { origin: 'https://page.example', 'access-control-request-method': 'GET' },
    });
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS');
    expect(headers.get('access-control-allow-headers')).toMatch(/Authorization.*Idempotency-Key/);
    expect(headers.get('access-control-max-age')).toBe('600');
  });

  test('are all pages if the list is *', async () => {
    const { headers } = await open.fetch('/open', from('https://anywhere.example'));
    expect([headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual(['*', null]);
  });
});
