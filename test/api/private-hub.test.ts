/**
 * A private hub trusts its own machine, so it must notice what only looks local: rebound host names, and proxies that the
 * settings do not name.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { createTargetPolicy } from '#runtime/guarded-http/target-policy.ts';
import { createProxyWatch, type ProxyWatch, signOfProxy } from '#runtime/inbound-http/proxy-watch.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, type TestHub, type TestHubOptions } from '#test/harness/hub.ts';
import { sendRaw } from '#test/harness/raw-http.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const behindProxy = {
  registrationsPerMinute: 2,
  writesPerMinute: 3,
  readsPerMinute: 4,
  searchesPerMinute: 1,
  openRunsPerAgent: 0,
  failedCallsPerDay: 0,
  agentMbPerDay: 0,
  networkMbPerDay: 0,
};

/** Processes of one hub, joined by signals as over Redis. */
function joinedWatches() {
  const followers = new Set<() => void>();
  const logged: string[] = [];
  const logger = createLogger({ name: 'test', destination: { write: (line) => void logged.push(line) } });
  const create = (): ProxyWatch => {
    const watch = createProxyWatch({
      logger,
      signal: () => followers.forEach((follow) => follow()),
      signals: {
        follow: (_, onSignal) => {
          followers.add(onSignal);
          return () => followers.delete(onSignal);
        },
      },
    });
    ends.push(async () => watch.close());
    return watch;
  };
  return { create, logged };
}

const targetPolicyOf = (baseUrl: string, proxies: ProxyWatch) =>
  createTargetPolicy(
    { baseUrl, evalAllowedTargets: ['loopback'], behindProxy: { ...behindProxy, evalAllowedTargets: [] } },
    proxies,
  );

async function startPrivateHub(
  proxies: ProxyWatch,
  {
    settings,
    baseUrl = 'http://127.0.0.1:3000',
    ...more
  }: TestHubOptions & { readonly baseUrl?: string } = {},
): Promise<TestHub> {
  const hub = await startTestHub({
    proxies,
    settings: { isPublic: false, behindProxy, ...settings },
    rules: { baseUrl, targetAddresses: targetPolicyOf(baseUrl, proxies) },
    ...more,
  });
  ends.push(() => hub.close());
  return hub;
}

describe('a private hub', () => {
  test('serves only host names of loopback and of BASE_URL, on every path', async () => {
    const options = { baseUrl: 'http://hub.localhost.example', checkResponses: false };
    const hub = await startPrivateHub(joinedWatches().create(), options);
    const paths = '/ /forum /v1/health /v1/agents/register /openapi.json /metrics /livez /nowhere';
    const foreign = 'evil.example evil.example:3000 127.0.0.1.evil.example localhost.evil.example 192.0.2.1';
    const own = '127.0.0.1 LOCALHOST:1234 [::1]:3000 127.9.9.9 hub.localhost.example:8080 my.localhost';
    for (const path of paths.split(' ')) {
      for (const host of foreign.split(' ')) {
        const refused = await hub.fetch(path, { headers: { host } });
        expect([path, host, refused.status, refused.body?.error]).toEqual([path, host, 400, 'invalid_host']);
      }
    }
    const page = await hub.fetch('/forum', { headers: { host: 'evil.example', accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    const preflight = await hub.fetch('/v1/agents', { method: 'OPTIONS', headers: { host: 'evil.example' } });
    expect(preflight.status).toBe(400);
    for (const host of own.split(' '))
      expect([host, (await hub.fetch('/v1/health', { headers: { host } })).status]).toEqual([host, 200]);
  });

  test('has no limits for its own machine until the first sign of a proxy, and then for everybody', async () => {
    const { create, logged } = joinedWatches();
    const [watch, sibling] = [create(), create()];
    const hub = await startPrivateHub(watch);
    const other = await startPrivateHub(sibling);
    const statuses = async (at: TestHub, calls: number) => {
      const each = [];
      for (let call = 0; call < calls; call += 1) each.push((await at.fetch('/v1/agents')).status);
      return each;
    };
    expect(await statuses(hub, 8)).toEqual(Array(8).fill(200));
    expect((await hub.fetch('/v1/hub')).body.features.rate_limits).toBe(false);
    // The request with the sign is counted already.
    await hub.fetch('/v1/agents', { headers: { 'x-forwarded-for': '203.0.113.1' } });
    expect(await statuses(hub, 5)).toEqual([200, 200, 200, 429, 429]);
    expect(await statuses(other, 6)).toEqual([200, 200, 200, 200, 429, 429]);
    expect(logged.filter((line) => line.includes('a request came through a proxy'))).toHaveLength(1);
    expect(logged.join()).not.toContain('203.0.113.1');
  });

  test('changes nothing at a request that it does not serve, whatever signs of a proxy it has', async () => {
    const { create, logged } = joinedWatches();
    const watch = create();
    const hub = await startPrivateHub(watch, { checkResponses: false });
    const signs = {
      'x-forwarded-for': '203.0.113.1',
      via: '1.1 proxy',
      origin: 'http://evil.example',
      referer: 'http://evil.example/',
    };
    for (const host of ['evil.example', 'evil.example:3000', '', 'a b']) {
      for (const [name, value] of Object.entries(signs)) {
        for (const [path, status] of [
          ['/v1/agents', 400],
          // As MCP demands.
          ['/mcp', 403],
        ] as const) {
          const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close', `${name}: ${value}`];
          const refused = await sendRaw(hub.port, [[...lines, '', ''].join('\r\n')]);
          expect(refused.split('\r\n')[0], `${host} ${name} ${path}`).toContain(` ${status} `);
        }
      }
    }
    expect([watch.isProxied(), logged]).toEqual([false, []]);
    expect((await hub.fetch('/v1/agents', { headers: { via: '1.1 proxy' } })).status).toBe(200);
    expect(watch.isProxied()).toBe(true);
  });

  test('refuses loopback targets in every process from the first sign of a proxy on', async () => {
    const { create } = joinedWatches();
    const [watch, sibling] = [create(), create()];
    const hub = await startPrivateHub(watch, { settings: { behindProxy: null } });
    const worker = targetPolicyOf(hub.ctx.rules.baseUrl, sibling);
    const { bearerToken: token } = await createTestAgent(hub.ctx, { tokens: 5 });
    const json = { product: 'eval-run', target_url: 'http://127.0.0.1:9/' };
    const redeem = () => hub.fetch('/v1/redemptions', { token, json });
    expect([(await redeem()).status < 400, worker.permits('127.0.0.1')]).toEqual([true, true]);
    await hub.fetch('/v1/health', { headers: { via: '1.1 proxy' } });
    expectError(await redeem(), 400, 'invalid_target_url');
    expect([worker.permits('127.0.0.1'), worker.permits('1.1.1.1')]).toEqual([false, true]);
  });
});

describe('a sign of a proxy', () => {
  const own = { baseUrl: 'http://127.0.0.1:3000', corsOrigins: ['https://app.example'] };
  const signIn = (headers: Readonly<Record<string, string>>) =>
    signOfProxy({ method: 'GET', headers: new Headers({ host: '127.0.0.1:3000', ...headers }) }, own);

  test.each([
    ['x-forwarded-for', '127.0.0.1'],
    ['x-forwarded-host', 'hub.example'],
    ['x-forwarded-proto', 'https'],
    ['x-forwarded-port', '443'],
    ['x-real-ip', '203.0.113.1'],
    ['forwarded', 'for=203.0.113.1'],
    ['via', '1.1 proxy'],
    ['origin', 'https://hub.example'],
    ['origin', 'http://127.0.0.1.hub.example'],
    ['referer', 'https://hub.example/forum'],
    ['origin', 'HTTP://hub.example'],
  ])('is %s: %s', (name, value) => {
    expect(signIn({ [name]: value })).not.toBeNull();
  });

  test('is no header that a client on this machine sends', () => {
    for (const headers of [
      {},
      { 'user-agent': 'curl/8', accept: '*/*' },
      { origin: 'http://localhost:5173', referer: 'http://127.0.0.1:3000/forum' },
      { origin: 'null' },
      { origin: 'https://app.example', referer: 'https://app.example/' },
      // Pages of extensions, and of programs around a browser, have no address that a proxy could serve.
      { origin: 'chrome-extension://abcdefghijklmnopabcdefghijklmnop' },
      { origin: 'moz-extension://01234567-89ab-cdef-0123-456789abcdef' },
      { origin: 'safari-web-extension://01234567-89AB-CDEF-0123-456789ABCDEF' },
      { origin: 'chrome-extension://evil.example', referer: 'app://window/index.html' },
      { origin: 'tauri://evil.example', 'sec-fetch-site': 'none' },
      // Any page can make a browser on this machine send this.
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    ])
      expect(signIn(headers)).toBeNull();
  });

  test('is HTTP/1.0, and the beginning that nginx gives every request, but not clients that close connections', async () => {
    const lines = (...more: readonly string[]) => ['GET /v1/health HTTP/1.1', ...more, '', ''].join('\r\n');
    const [closes, identity] = ['Connection: close', 'Accept-Encoding: identity'];
    const [host, any, urllib] = ['Host: 127.0.0.1', 'Accept: */*', 'User-Agent: Python-urllib/3.11'];
    const cases = [
      // Bun's fetch, curl, Python's urllib, Node's http before version 19, and Ruby's Net::HTTP.
      [false, lines('Connection: keep-alive', 'User-Agent: Bun', any, host)],
      [false, lines(host, 'User-Agent: curl/8.1', any)],
      [false, lines(identity, host, urllib, closes)],
      [false, lines('Accept: application/json', host, closes)],
      [false, lines(any, 'User-Agent: Ruby', closes, host)],
      [true, lines(host, closes, 'User-Agent: curl/8.1', any)],
      [true, lines(host, closes, identity, urllib)],
      [true, 'GET /v1/health HTTP/1.0\r\n\r\n'],
      // A request of Node's http before version 19, and one of Node's fetch.
      [false, lines(host, closes)],
      [false, lines(host, closes, any, 'User-Agent: node').replace('GET', 'HEAD')],
    ] as const;
    for (const [isSign, text] of cases) {
      const watch = joinedWatches().create();
      const hub = await startPrivateHub(watch);
      expect(await sendRaw(hub.port, [text])).toContain('200 OK');
      expect([text, watch.isProxied()]).toEqual([text, isSign]);
    }
  });
});
