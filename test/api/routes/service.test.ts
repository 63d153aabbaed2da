import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sqliteTable } from 'drizzle-orm/sqlite-core';
import type { ApiSettings } from '#api/deps.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { forEachStore, openScratchStore, type ScratchStore } from '#test/harness/stores.ts';

const operatorPaths = ['/livez', '/readyz', '/metrics', '/admin/queues'];

let store: ScratchStore;
let hub: TestHub;
beforeAll(async () => {
  store = await openScratchStore('sqlite');
  hub = await startTestHub({ store });
});
afterAll(async () => {
  await hub.close();
  await store.remove();
});

async function withHub(settings: Partial<ApiSettings>, use: (hub: TestHub) => Promise<void>): Promise<void> {
  const other = await startTestHub({ store, redisUrl: hub.redisUrl, settings });
  try {
    await use(other);
  } finally {
    await other.close();
  }
}

describe('GET /v1/health', () => {
  test('reports what the service is and that nothing is for sale', async () => {
    const response = await hub.fetch('/v1/health');
    expect([response.status, response.body]).toEqual([
      200,
      {
        ok: true,
        version: '0.0.0-test',
        db: 'live',
        auth_algorithms: ['Ed25519'],
        payments: { checkout: false, webhooks: false },
      },
    ]);
  });

  test('reports which payment features are configured', async () => {
    const settings = {
      checkoutApiUrl: 'https://pay.example',
      checkoutAccessToken: 'x',
      paymentsWebhookSecret: 'whsec_x',
    };
    await withHub(settings, async (paid) => {
      expect((await paid.fetch('/v1/health')).body.payments).toEqual({ checkout: true, webhooks: true });
    });
    await withHub({ checkoutApiUrl: 'https://pay.example' }, async (half) => {
      expect((await half.fetch('/v1/health')).body.payments).toEqual({ checkout: false, webhooks: false });
    });
  });
});

describe('an operator endpoint', () => {
  test.each(operatorPaths)('at %s is open to clients on this machine if no key is set', async (path) => {
    expect((await hub.fetch(path)).status).toBe(200);
  });

  test('is closed to everybody on a public hub without a key, whatever headers the request has', async () => {
    await withHub({ isPublic: true }, async (proxied) => {
      for (const path of operatorPaths) {
        const rejected = await proxied.fetch(path);
        expect([path, rejected.status, rejected.body.error]).toEqual([path, 403, 'operator_only']);
        // A forwarded loopback address does not make the client local.
        const claimed = await proxied.fetch(path, { headers: { 'x-forwarded-for': '127.0.0.1' } });
        expect([path, claimed.status]).toEqual([path, 403]);
      }
    });
  });

  test('is closed to pages of other origins, whatever CORS_ORIGINS lists', async () => {
    await withHub({ corsOrigins: ['*'] }, async (open) => {
      const headers = { origin: 'https://elsewhere.example' };
      for (const path of operatorPaths) {
        const read = await open.fetch(path, { headers });
        expect([path, read.headers.get('access-control-allow-origin')]).toEqual([path, null]);
        const preflight = await open.fetch(path, { method: 'OPTIONS', headers });
        expect([path, preflight.headers.get('access-control-allow-origin')]).toEqual([path, null]);
      }
    });
  });

  test.each([
    ['x-forwarded-for', '127.0.0.1'],
    ['x-real-ip', '203.0.113.1'],
    ['forwarded', 'for=203.0.113.1'],
    ['via', '1.1 proxy'],
    ['host', 'rebound.example'],
    ['host', 'localhost.example:3000'],
  ])('is closed to proxied and DNS-rebound requests: %s: %s', async (name, value) => {
    const rejected = await hub.fetch('/readyz', { headers: { [name]: value } });
    expect([rejected.status, rejected.body.error]).toEqual([403, 'operator_only']);
  });

  test.each(['localhost', `127.0.0.1:1234`, '[::1]:3000', 'LOCALHOST:3000'])(
    'is open at %s',
    async (host) => {
      expect((await hub.fetch('/livez', { headers: { host } })).status).toBe(200);
    },
  );

  test('requires the key from everybody once it is set', async () => {
    await withHub({ operatorKey: 'the-operators-key' }, async (locked) => {
      const ask = (authorization?: string) =>
        locked.fetch('/livez', authorization === undefined ? {} : { headers: { authorization } });
      const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
      const asked = await ask();
      expect([asked.status, asked.body.error]).toEqual([401, 'missing_token']);
      expect(asked.headers.get('www-authenticate')).toBe(
        'Basic realm="Agent Hub", charset="UTF-8", Bearer realm="Agent Hub"',
      );
      for (const right of [
        'Bearer the-operators-key',
        basic('operator:the-operators-key'),
        basic(':the-operators-key'),
      ]) {
        expect((await ask(right)).status).toBe(200);
      }
      for (const wrong of [
        'Bearer wrong',
        'Bearer the-operators-key2',
        basic('the-operators-key:'),
        basic('a:the-operators-key:'),
      ]) {
        expect([wrong, (await ask(wrong)).body.error]).toEqual([wrong, 'invalid_token']);
      }
      expect((await ask(basic('the-operators-key'))).status).toBe(401);
      expect((await locked.fetch('/v1/health')).status).toBe(200);
    });
  });
});

describe('GET /readyz', () => {
  forEachStore((each) => {
    test('is 200 while the database is migrated and Redis is up', async () => {
      const ready = await startTestHub({ store: each, redisUrl: hub.redisUrl });
      expect((await ready.fetch('/readyz')).body).toEqual({ ready: true });
      await ready.close();
    });
  });

  test('reports that Redis is down', async () => {
    const redis = await startTestRedis();
    const other = await startTestHub({ store, redisUrl: redis.url });
    await redis.stop();
    const response = await other.fetch('/readyz');
    expect([response.status, response.body.error]).toEqual([503, 'queue_unavailable']);
    expect(response.body.failing).toEqual(['redis']);
    expect(response.headers.get('retry-after')).not.toBeNull();
    expect((await other.fetch('/livez')).status).toBe(200);
    await other.close();
  });

  test('reports missing migrations', async () => {
    const behind = await openScratchStore('sqlite');
    const other = await startTestHub({ store: behind, redisUrl: hub.redisUrl });
    await behind.db.transaction(({ query }) =>
      query.delete(sqliteTable('__drizzle_migrations', {}) as never),
    );
    const response = await other.fetch('/readyz');
    expect([response.status, response.body.error]).toEqual([503, 'database_unavailable']);
    expect(response.body.failing).toEqual(['migrations']);
    await other.close();
    await behind.remove();
  });
});

describe('the reference', () => {
  test('is served as an OpenAPI document', async () => {
    const response = await hub.fetch('/openapi.json');
    expect([response.status, response.body.openapi, response.body.info.version]).toEqual([
      200,
      '3.1.1',
      '0.0.0-test',
    ]);
    expect(response.body.servers).toEqual([{ url: 'https://hub.test' }]);
    expect(response.body.paths).toHaveProperty('/v1/health');
    const again = await hub.fetch('/openapi.json', {
      headers: { 'if-none-match': response.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
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

  test('has a valid start script that calls no other host', async () => {
    const script = await hub.fetch('/docs/start.js');
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(() => new Bun.Transpiler({ loader: 'js' }).scan(script.text)).not.toThrow();
    expect(script.text).toContain('validatorUrl: null');
    expect(script.text).not.toMatch(/https?:\/\//);
  });

  test.each(['../package.json', '..%2fpackage.json', 'package.json', 'constructor', 'index.html'])(
    'serves no other file: %s',
    async (file) => {
      expect((await hub.fetch(`/docs/${file}`)).status).toBe(404);
    },
  );
});
