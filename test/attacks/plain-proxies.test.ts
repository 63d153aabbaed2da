/**
 * A private hub behind a real nginx or Caddy that its settings do not name. Everybody reaches it over loopback, but nothing
 * of the operator's, and the hub's trust in loopback ends at the first request. With the lines of the guide everything
 * works.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import type { Ctx } from '#domain/context.ts';
import { systemClock } from '#runtime/clock.ts';
import { newKey } from '#test/domain/agents/sign-up.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { startApiProcess } from '#test/harness/api-process.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { guideLinesForNginx, type RunningProxy, startProxy } from '#test/harness/proxies.ts';
import { testOperatorKey } from '#test/harness/secret-key.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { startTransport } from '#test/harness/transport.ts';
import { startWorkerProcess } from '#test/harness/worker-process.ts';

const operatorPaths = ['/metrics', '/admin/queues', '/admin/queues/api/queues', '/v1/admin/health'];
const plain = {
  nginx: (upstream: string) => `proxy_pass ${upstream};`,
  caddy: (upstream: string) => `reverse_proxy ${new URL(upstream).host}`,
} as const;
const documented = { nginx: guideLinesForNginx, caddy: plain.caddy } as const;
type Proxy = keyof typeof plain;

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

interface Hub {
  readonly ctx: Ctx;
  /** Of an API process. */
  readonly url: string;
  readonly workerUrl: string;
  readonly proxy: RunningProxy;
}

async function startBehind(
  proxy: Proxy,
  lines: (upstream: string) => string,
  settings: Readonly<Record<string, string>>,
): Promise<Hub> {
  const store = await openScratchStore('sqlite');
  ends.push(() => store.remove());
  const transport = await startTransport();
  ends.push(() => transport.stop());
  const stores = { database: store.setting, redisUrl: transport.redisUrl };
  const [api, worker] = await Promise.all([
    startApiProcess(stores, settings),
    startWorkerProcess(['mail'], stores, settings),
  ]);
  ends.push(
    () => api.end('SIGTERM'),
    () => worker.end('SIGTERM'),
  );
  const running = await startProxy(proxy, lines(api.url));
  ends.push(() => running.stop());
  const ctx = { ...createTestCtx(store.db), clock: systemClock, publisher: transport.publisher };
  return { ctx, url: api.url, workerUrl: worker.operatorUrl, proxy: running };
}

function register(url: string, index: number, headers: Readonly<Record<string, string>> = {}) {
  return fetch(`${url}/v1/agents/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ handle: `many-${index}`, agent_type: 'other', public_key: newKey().publicKey }),
  });
}

async function statusesOf(url: string, times: number, headers?: Readonly<Record<string, string>>) {
  const statuses: number[] = [];
  for (let index = 0; index < times; index += 1) statuses.push((await register(url, index, headers)).status);
  return statuses;
}

describe.each(['nginx', 'caddy'] as const)('behind a plain %s', (name) => {
  test('nothing of the operator can be reached, and limits hold from the first request on', async () => {
    // A Caddy passes the host name of the client on, which the hub does not know.
    const hub = await startBehind(name, plain[name], {});
    for (const path of operatorPaths) {
      for (const headers of [{}, { host: '127.0.0.1' }, { 'x-forwarded-for': '127.0.0.1' }]) {
        const { status } = await fetch(hub.proxy.url + path, { headers: headers as HeadersInit });
        expect([path, status]).toEqual([path, 401]);
      }
    }
    for (const path of ['/livez', '/readyz'])
      expect([path, (await fetch(hub.proxy.url + path)).status]).toEqual([path, 401]);
    const paused = await fetch(`${hub.proxy.url}/admin/queues/api/queues/mail/pause`, { method: 'PUT' });
    expect(paused.status).toBe(401);
    const statuses = await statusesOf(hub.proxy.url, 64);
    expect(statuses.filter((status) => status === 200)).toHaveLength(60);
    expect(statuses.filter((status) => status === 429)).toHaveLength(4);
    // For programs on the machine as well, because the proxy hides who is who.
    expect((await register(hub.url, 99)).status).toBe(429);
    const { bearerToken } = await createTestAgent(hub.ctx, { tokens: 3 });
    const refused = await fetch(`${hub.url}/v1/redemptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearerToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ product: 'eval-run', target_url: 'http://127.0.0.1:9/' }),
    });
    expect(await refused.json()).toMatchObject({ error: 'invalid_target_url' });
    // The operator keeps the key, over the proxy too.
    for (const url of [hub.url, hub.proxy.url]) {
      const headers = { authorization: `Bearer ${testOperatorKey}` };
      expect((await fetch(`${url}/metrics`, { headers })).status).toBe(200);
    }
  });
});

describe.each(['nginx', 'caddy'] as const)('behind %s with the settings and lines of the guide', (name) => {
  test('the operator has the key, and clients have limits of their own', async () => {
    const hub = await startBehind(name, documented[name], {
      BASE_URL: 'https://hub.example.org',
      TRUSTED_PROXIES: '127.0.0.1/32,::1/128',
      REGISTRATIONS_PER_MINUTE: '3',
    });
    for (const path of operatorPaths.filter((one) => !one.startsWith('/v1'))) {
      expect([path, (await fetch(hub.proxy.url + path)).status]).toEqual([path, 401]);
      const headers = { authorization: `Bearer ${testOperatorKey}` };
      expect([path, (await fetch(hub.proxy.url + path, { headers })).status]).toEqual([path, 200]);
    }
    // The proxy replaces what a client claims, so it cannot choose its address.
    for (let client = 0; client < 5; client += 1) {
      const { status } = await register(hub.proxy.url, client, { 'x-forwarded-for': `203.0.113.${client}` });
      expect([client, status]).toEqual([client, client < 3 ? 200 : 429]);
    }
    // A client elsewhere has a limit of its own.
    expect((await register(hub.url, 9, { 'x-forwarded-for': '203.0.113.9' })).status).toBe(200);
    expect((await fetch(`${hub.proxy.url}/v1/health`)).status).toBe(200);
  });
});
