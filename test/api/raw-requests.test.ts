/** Requests that no HTTP library sends: malformed hosts, targets without a path, unknown methods. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { saveSearchWords } from '#db/search.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { type TestResponse, useTestHub } from '#test/harness/hub.ts';
import { sendRaw } from '#test/harness/raw-http.ts';

const hub = useTestHub();
beforeAll(async () => {
  for (const handle of ['ada', 'bob', 'cleo']) {
    const { id } = await createTestAgent(hub.ctx, { handle });
    await hub.db.transaction((tx) => saveSearchWords(tx, 'agents', id, ['ä b']));
  }
});

interface RawResponse {
  readonly status: number;
  readonly head: string;
  readonly body: TestResponse['body'];
}

async function ask(head: string): Promise<RawResponse> {
  const text = await sendRaw(hub.port, [`${head}\r\n\r\n`]);
  const end = text.indexOf('\r\n\r\n');
  const body = text.slice(end + 4);
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]),
    head: text.slice(0, end).toLowerCase(),
    body: body.startsWith('{') ? JSON.parse(body) : null,
  };
}

const sound: readonly (readonly [string, string])[] = [
  ...['x', 'hub_1:3000', 'HUB.example.org.', '127.0.0.1', '[::1]:80', '[::ffff:1.2.3.4]', 'x:'].map(
    (host) => [`Host: ${host}`, `HTTP/1.1\r\nHost: ${host}`] as const,
  ),
  ['no Host in HTTP/1.0', 'HTTP/1.0'],
];

describe.each(sound)('with %s', (_, end) => {
  test('a list is served, and links to its next page by path only', async () => {
    const page = await ask(`GET /v1/agents?limit=1&q=%C3%A4+b ${end}`);
    expect([page.status, page.body.agents.length]).toEqual([200, 1]);
    expect(page.head).toMatch(/\r\nlink: <\/v1\/agents\?limit=1&q=%c3%a4\+b&cursor=[\w-]+>; rel="next"/);
    expect(page.head).toContain('\r\nx-request-id: ');
    const one = await ask(`GET /v1/agents/ada ${end}`);
    expect([one.status, one.body.agent.handle]).toEqual([200, 'ada']);
  });

  test('the home page is served, an unknown path is 404, and an unknown method is 405', async () => {
    const home = await ask(`GET / ${end}`);
    expect([home.status, home.head]).toEqual([200, expect.stringContaining('\r\ncontent-type: text/html')]);
    for (const target of ['/nowhere?x=1', '//v1/health', '/v1/health/', '/v1/agents/ada/x']) {
      const lost = await ask(`GET ${target} ${end}`);
      expect([target, lost.status, lost.body.error]).toEqual([target, 404, 'not_found']);
    }
    const rejected = await ask(`TRACE /v1/agents ${end}`);
    expect([rejected.status, rejected.body.error]).toEqual([405, 'method_not_allowed']);
  });
});

const noHosts = [
  ...'a:b [::1 [x] % a,b a/b a?b a#b http://q a@b é \\ /v1/health a:123456'.split(' '),
  'a b',
  'x\r\nHost: x',
  'x\r\nHost: y',
  'x\r\nHost:',
  'a'.repeat(254),
  '',
];

test.each(noHosts)('the host %p is rejected, whatever the request', async (host) => {
  for (const line of [
    'GET /v1/health',
    'GET /v1/agents/ada',
    'OPTIONS /v1/agents',
    'GET /nowhere',
    'TRACE /',
  ]) {
    const rejected = await ask(`${line} HTTP/1.1\r\nHost: ${host}`);
    expect([line, rejected.status, rejected.body.error]).toEqual([line, 400, 'invalid_parameter']);
    expect(rejected.body.message).toContain('`Host`');
    expect(rejected.head).toContain(`\r\nx-request-id: ${rejected.body.request_id}`);
  }
});

test('an HTTP/1.1 request without a host, and a request that is not HTTP, never reach the hub', async () => {
  for (const text of [
    'GET /v1/health HTTP/1.1',
    'GET /v1/health HTTP/1.1\r\nHost: a\0b',
    'GET * HTTP/1.1\r\nHost: x',
  ])
    expect((await ask(text)).status).toBe(400);
});

test('a 405 lists the methods of the literal path, not those of the parameter in its place', async () => {
  for (const [path, allowed] of [
    ['/v1/agents/me', 'get, head, patch, options'],
    ['/v1/agents/ada', 'get, head, options'],
  ] as const) {
    const { status, head } = await ask(`TRACE ${path} HTTP/1.1\r\nHost: h`);
    expect([status, /\r\nallow: (.*)/.exec(head)?.[1]]).toEqual([405, allowed]);
  }
});

test.each(['GET', 'POST', 'TRACE'])('%s of a path with a fragment is 400', async (method) => {
  for (const path of ['/v1/health#x', '/v1/agents/ada#x', '/#', '/nowhere#?x=1']) {
    const rejected = await ask(`${method} ${path} HTTP/1.1\r\nHost: h`);
    const [status, error] =
      method !== 'GET' && path.includes('ada') ? [405, 'method_not_allowed'] : [400, 'invalid_parameter'];
    expect([path, rejected.status, rejected.body.error]).toEqual([path, status, error]);
  }
});

test('CONNECT is 404', async () => {
  const lost = await ask('CONNECT other.example:443 HTTP/1.1\r\nHost: other.example:443');
  expect([lost.status, lost.body.error]).toEqual([404, 'not_found']);
});

describe('the boundary between two requests', () => {
  const login = 'POST /v1/agents/login HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n';
  const health = 'GET /v1/health HTTP/1.1\r\nHost: h\r\n\r\n';
  const lost = 'GET /nowhere HTTP/1.1\r\nHost: h\r\n\r\n';
  const statusesOf = (text: string) =>
    [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

  const chunks = '\r\n\r\n2\r\n{}\r\n0\r\n\r\n';
  test.each<[string, string]>([
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} '],
    ['a length and chunks', `Content-Length: 4\r\nTransfer-Encoding: chunked${chunks}`],
    ['chunks and a length', `Transfer-Encoding: chunked\r\nContent-Length: 4${chunks}`],
    ['a length of 0 and chunks', `Content-Length: 0\r\nTransfer-Encoding: chunked${chunks}`],
    ...['CHUNKED', '\tchunked', 'x, chunked', 'chunked, identity', '\r\n chunked'].map(
      (coding): [string, string] => [
        `a length and ${JSON.stringify(coding)}`,
        `Transfer-Encoding:${coding}\r\nContent-Length: 4${chunks}`,
      ],
    ),
    ['a bare line feed', `X: y\nTransfer-Encoding: chunked\r\nContent-Length: 4${chunks}`],
    ['a list of lengths', 'Content-Length: 2, 2\r\n\r\n{}'],
    ['a negative length', 'Content-Length: -1\r\n\r\n{}'],
    ['a length with a sign', 'Content-Length: +2\r\n\r\n{}'],
    ['a length in hex', 'Content-Length: 0x2\r\n\r\n{}'],
    ['a length beyond every number', 'Content-Length: 18446744073709551618\r\n\r\n{}'],
    ['chunks in another coding', `Transfer-Encoding: gzip, chunked${chunks}`],
    ['an unknown coding', `Transfer-Encoding: xchunked${chunks}`],
    ['chunks twice', `Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked${chunks}`],
    ['a space before the colon', `Transfer-Encoding : chunked${chunks}`],
    ['an unterminated chunk', 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX0\r\n\r\n'],
    ['a chunk without a size', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n'],
    ['a folded header', 'X: a\r\n b\r\nContent-Length: 2\r\n\r\n{}'],
  ])('is unclear with %s, so nothing more is read from the connection', async (_, rest) => {
    const text = await sendRaw(hub.port, [login + rest + health], { answers: 2 });
    expect(statusesOf(text)).toEqual([400]);
  });

  test('bytes past the announced length are another request, and a short body is awaited', async () => {
    const past = 'POST /nowhere HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}GARBAGE\r\n\r\n';
    // The server may close the connection before the first response arrives.
    expect(statusesOf(await sendRaw(hub.port, [past], { answers: 2 })).at(-1)).toBe(400);
    for (const short of ['Content-Length: 12\r\n\r\n{}', 'Transfer-Encoding: chunked\r\n\r\nc\r\n{}']) {
      const text = await sendRaw(hub.port, [login + short], { answers: 1, waitMs: 1_000 });
      expect([short, statusesOf(text)]).toEqual([short, []]);
    }
  });

  test('pipelined requests are served in order', async () => {
    const text = await sendRaw(hub.port, [health + lost + health + lost], { answers: 4 });
    expect(statusesOf(text)).toEqual([200, 404, 200, 404]);
  });

  test.each([
    ['an unknown path', 'POST /nowhere HTTP/1.1\r\nHost: h\r\n', 404],
    ['a caller without a token', 'POST /v1/redemptions HTTP/1.1\r\nHost: h\r\n', 401],
    ['an unsupported method', 'DELETE /v1/health HTTP/1.1\r\nHost: h\r\n', 405],
    ['a read', 'GET /v1/health HTTP/1.1\r\nHost: h\r\n', 200],
    ['a body that is too long', login, 413],
  ])('the body of %s is not read as the next request', async (_, head, status) => {
    const body = health.repeat(2_000);
    const framed = `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
    const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    for (const request of [framed, chunked]) {
      const statuses = statusesOf(await sendRaw(hub.port, [request, lost], { answers: 2 }));
      expect(statuses[0]).toBe(status);
      // Either the connection is closed, or it continues with the request after the body.
      expect(statuses.slice(1)).toEqual(statuses.length === 1 ? [] : [404]);
    }
  });
});
