import { describe, expect, test } from 'bun:test';
import { sqliteTable } from 'drizzle-orm/sqlite-core';
import { hasOperatorCookie, operatorCookie } from '#api/access/operator-session.ts';
import type { ApiSettings } from '#api/deps.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, useTestHub } from '#test/harness/hub.ts';
import { testOperatorKey } from '#test/harness/secret-key.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { openScratchStore } from '#test/harness/stores.ts';

const operatorPaths = ['/livez', '/readyz', '/metrics', '/admin/queues', '/admin'];

const hub = useTestHub();

const startWith = (settings: Partial<ApiSettings>) =>
  startTestHub({ store: hub, redisUrl: hub.redisUrl, settings });

describe('GET /v1/health', () => {
  test('reports what the service is and that nothing is for sale', async () => {
    const payments = { checkout: false, webhooks: false };
    const health = { ok: true, version: '0.0.0-test', db: 'live', auth_algorithms: ['Ed25519'], payments };
    expect((await hub.fetch('/v1/health')).body).toEqual(health);
  });

  test('reports which payment features are configured', async () => {
    const settings = {
      checkoutApiUrl: 'https://pay.example',
      checkoutAccessToken: 'x',
      paymentsWebhookSecret: 'whsec_x',
    };
    await using paid = await startWith(settings);
    expect((await paid.fetch('/v1/health')).body.payments).toEqual({ checkout: true, webhooks: true });
  });
});

describe('an operator endpoint', () => {
  const key = { authorization: `Bearer ${testOperatorKey}` };

  test.each(['/metrics', '/admin/queues', '/admin'])(
    'at %s needs the key on a private hub too, even from this machine',
    async (path) => {
      await using home = await startWith({ isPublic: false });
      for (const host of ['127.0.0.1:3000', 'localhost', '[::1]:3000'])
        expectError(await home.fetch(path, { headers: { host } }), 401, 'missing_token');
      expect((await home.fetch(path, { headers: key })).status).toBe(200);
    },
  );

  test.each(['/livez', '/readyz'])('at %s reports the bare status to this machine', async (path) => {
    expect((await hub.fetch(path)).status).toBe(200);
    for (const [name, value] of [
      ['x-forwarded-for', '127.0.0.1'],
      ['x-real-ip', '203.0.113.1'],
      ['forwarded', 'for=203.0.113.1'],
      ['via', '1.1 proxy'],
      ['host', 'rebound.example'],
      ['host', 'localhost.example:3000'],
      ['origin', 'https://elsewhere.example'],
      ['authorization', 'Bearer wrong'],
    ] as const)
      expect([name, (await hub.fetch(path, { headers: { [name]: value } })).status]).toEqual([name, 401]);
  });

  test('is closed to everybody without a key, whatever headers the request has', async () => {
    await using closed = await startWith({ operatorKey: null });
    for (const path of ['/metrics', '/admin/queues', '/admin']) {
      for (const headers of [{}, { 'x-forwarded-for': '127.0.0.1', ...key }])
        expectError(await closed.fetch(path, { headers }), 403, 'operator_only');
    }
  });

  test('is closed to pages of other origins, whatever CORS_ORIGINS lists', async () => {
    await using open = await startWith({ corsOrigins: ['*'] });
    const headers = { origin: 'https://elsewhere.example' };
    for (const path of operatorPaths) {
      for (const request of [{ headers: { ...headers, ...key } }, { method: 'OPTIONS', headers }]) {
        const read = await open.fetch(path, request);
        expect([path, read.headers.get('access-control-allow-origin')]).toEqual([path, null]);
      }
    }
  });

  test('accepts the key as a bearer token or as a password', async () => {
    await using locked = await startWith({ operatorKey: 'the-operators-key' });
    const ask = (authorization: string) => locked.fetch('/metrics', { headers: { authorization } });
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    const forms = 'Basic realm="Agent Hub", charset="UTF-8", Bearer realm="Agent Hub"';
    expect((await locked.fetch('/metrics')).headers.get('www-authenticate')).toBe(forms);
    for (const user of ['operator:', ':'])
      expect((await ask(basic(`${user}the-operators-key`))).status).toBe(200);
    expect((await ask('Bearer the-operators-key')).status).toBe(200);
    expect((await ask(basic('the-operators-key'))).status).toBe(401);
  });
});

describe('a sign-in link of the operator', () => {
  const ours = { 'sec-fetch-site': 'same-origin' };

  async function createLink(): Promise<string> {
    const created = await hub.fetch('/admin/sign-in-links', { method: 'POST', token: testOperatorKey });
    expect(created.status).toBe(201);
    return new URL(created.body.url as string).pathname;
  }

  test('shows a button, works once, and sets a cookie that opens the operator pages', async () => {
    const path = await createLink();
    for (let looks = 0; looks < 2; looks += 1) {
      const page = await hub.fetch(path, { headers: { accept: 'text/html' } });
      expect([page.status, page.text.includes('<button type="submit">')]).toEqual([200, true]);
      expect(page.headers.get('set-cookie')).toBeNull();
    }
    const signedIn = await hub.fetch(path, { method: 'POST', headers: ours });
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/admin']);
    const cookie = signedIn.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(
      /^__Host-hub-operator=[^;]+; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure$/,
    );
    const headers = { cookie: cookie.split(';')[0] ?? '' };
    for (const operatorPath of operatorPaths)
      expect((await hub.fetch(operatorPath, { headers })).status, operatorPath).toBe(200);
    const home = await hub.fetch('/admin', { headers });
    for (const led of ['/admin/queues', '/metrics', '/desk']) expect(home.text).toContain(`href="${led}"`);
    const changed = { cookie: `${headers.cookie.slice(0, -1)}_` };
    expect((await hub.fetch('/metrics', { headers: changed })).status).toBe(401);
    expect((await hub.fetch(path, { method: 'POST', headers: ours })).status).toBe(404);
    expect((await hub.fetch(path)).status).toBe(404);
  });

  test('is used up by one of several attempts, and not by the page of another site', async () => {
    const path = await createLink();
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://elsewhere.example' }])
      expect((await hub.fetch(path, { method: 'POST', headers })).status).toBe(403);
    const attempts = await Promise.all(
      Array.from({ length: 5 }, () => hub.fetch(path, { method: 'POST', headers: ours })),
    );
    const statuses = attempts.map(({ status }) => status).toSorted((one, other) => one - other);
    expect(statuses).toEqual([303, 404, 404, 404, 404]);
  });

  test('is only created for the operator, and its cookie ends with the key and after a week', async () => {
    expect((await hub.fetch('/admin/sign-in-links', { method: 'POST' })).status).toBe(401);
    const week = 7 * 24 * 60 * 60 * 1_000;
    const later = { operatorKey: 'one-key', baseUrl: 'http://127.0.0.1:3000', now: new Date('2026-01-01') };
    const cookie = operatorCookie(later).split(';')[0] ?? '';
    const at = (now: Date, operatorKey = 'one-key') =>
      hasOperatorCookie(new Request('http://x/', { headers: { cookie } }), { ...later, now, operatorKey });
    expect(at(later.now)).toBe(true);
    expect(at(new Date(later.now.getTime() + week - 1))).toBe(true);
    expect(at(new Date(later.now.getTime() + week))).toBe(false);
    expect(at(later.now, 'another-key')).toBe(false);
  });
});

describe('GET /readyz', () => {
  test('reports that Redis is down', async () => {
    const redis = await startTestRedis();
    await using other = await startTestHub({ store: hub, redisUrl: redis.url });
    expect((await other.fetch('/readyz')).body).toEqual({ ready: true });
    await redis.stop();
    const response = await other.fetch('/readyz', { token: testOperatorKey });
    expectError(response, 503, 'queue_unavailable');
    expect(response.body.failing).toEqual(['redis']);
    const bare = await other.fetch('/readyz');
    expectError(bare, 503, 'queue_unavailable');
    expect(bare.body).not.toHaveProperty('failing');
    expect((await other.fetch('/livez')).status).toBe(200);
  });

  test('reports missing migrations', async () => {
    await using behind = await openScratchStore('sqlite');
    await using other = await startTestHub({ store: behind, redisUrl: hub.redisUrl });
    await behind.db.transaction(({ query }) =>
      query.delete(sqliteTable('__drizzle_migrations', {}) as never),
    );
    const response = await other.fetch('/readyz', { token: testOperatorKey });
    expectError(response, 503, 'database_unavailable');
    expect(response.body.failing).toEqual(['migrations']);
  });
});

describe('the reference', () => {
  test('is served as an OpenAPI document', async () => {
    const { body } = await hub.fetch('/openapi.json');
    const [info, servers] = [{ version: '0.0.0-test' }, [{ url: 'https://hub.test' }]];
    expect(body).toMatchObject({ openapi: '3.1.1', info, servers, paths: { '/v1/health': {} } });
  });

  test('is served as a page whose every file comes from the hub itself', async () => {
    const page = await hub.fetch('/docs');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/https?:|\*/);
    const links = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? '');
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) {
      const part = await hub.fetch(new URL(link, `${hub.url}/docs`).pathname);
      expect([link, part.status, part.text.length > 0]).toEqual([link, 200, true]);
      expect(part.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  test('serves no other file', async () => {
    for (const file of ['../package.json', '..%2fpackage.json', 'package.json', 'constructor', 'index.html'])
      expect((await hub.fetch(`/docs/${file}`)).status).toBe(404);
  });
});
