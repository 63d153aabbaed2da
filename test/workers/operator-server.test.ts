/** The operator endpoints of worker processes, and who may read them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createMetricsReader } from '#test/harness/metrics.ts';
import { testOperatorKey } from '#test/harness/secret-key.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { useScratchStore } from '#test/harness/stores.ts';
import { startWorkerProcess, type WorkerProcess } from '#test/harness/worker-process.ts';

const key = 'the-operators-key';

describe('a worker process', () => {
  afterAll(() => Promise.all([open, locked, guarded].map((worker) => worker.end('SIGTERM'))));
  const redis = useTestRedis();
  const store = useScratchStore('sqlite');
  let open: WorkerProcess;
  let locked: WorkerProcess;
  let guarded: WorkerProcess;
  beforeAll(async () => {
    const stores = { database: store.setting, redisUrl: redis.url };
    [open, locked, guarded] = await Promise.all([
      startWorkerProcess(['mail'], stores),
      startWorkerProcess(['mail'], stores, { OPERATOR_KEY: key }),
      startWorkerProcess(['mail'], stores, {
        OPERATOR_KEY: key,
        REGISTRATIONS_PER_MINUTE: '3',
        TRUSTED_PROXIES: '127.0.0.1',
      }),
    ]);
  });

  const ask = (worker: WorkerProcess, path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(worker.operatorUrl + path, {
      method,
      headers: { authorization: `Bearer ${worker === open ? testOperatorKey : key}`, ...headers },
    });

  test('reports liveness, readiness and metrics', async () => {
    expect(await (await ask(open, '/livez')).json()).toEqual({ live: true });
    expect(await (await ask(open, '/readyz')).json()).toEqual({ ready: true });
    const metrics = createMetricsReader(`${open.operatorUrl}/metrics`);
    expect(await metrics.read('hub_info', { process: 'mail' })).toBe(1);
    await metrics.until((value) => value > 10e6, 'process_resident_memory_bytes');
  });

  test('serves nothing else, and accepts no writes', async () => {
    for (const path of ['/', '/metrics/', '/constructor', '/v1/health'])
      expect((await ask(open, path)).status).toBe(404);
    expect((await ask(open, '/livez', {}, 'POST')).status).toBe(405);
  });

  test.each(['/livez', '/readyz'])(
    '%s reports the bare status to this machine, without a key',
    async (path) => {
      expect((await fetch(open.operatorUrl + path)).status).toBe(200);
      const strange = { 'x-forwarded-for': '127.0.0.1', host: 'rebound.example', via: '1.1 proxy' };
      for (const header of Object.entries(strange)) {
        const refused = await fetch(open.operatorUrl + path, { headers: [header] });
        expect([refused.status, await refused.json()]).toMatchObject([401, { error: 'missing_token' }]);
      }
    },
  );

  test.each(['/livez', '/readyz', '/metrics'])(
    '%s requires the right key where one is sent',
    async (path) => {
      expect((await fetch(locked.operatorUrl + path)).status).toBe(path === '/metrics' ? 401 : 200);
      expect((await ask(locked, path, { authorization: 'Bearer wrong' })).status).toBe(401);
      expect((await ask(locked, path, { authorization: `Bearer ${key}` })).status).toBe(200);
      expect((await ask(locked, path, { authorization: `Basic ${btoa(`any:${key}`)}` })).status).toBe(200);
    },
  );

  test('a network that sent too many wrong keys is refused for a while', async () => {
    const from = async (address: string, given: string) => {
      const headers = { authorization: `Bearer ${given}`, 'x-forwarded-for': address };
      const answer = await ask(guarded, '/livez', headers);
      return [answer.status, answer.headers.has('retry-after')];
    };
    for (let guess = 0; guess < 3; guess += 1)
      expect(await from('203.0.113.1', `guess-${guess}`)).toEqual([401, false]);
    // Even the right key is refused; otherwise a guess would be confirmed.
    for (const given of ['guess-4', key]) expect(await from('203.0.113.1', given)).toEqual([429, true]);
    for (let call = 0; call < 5; call += 1) expect(await from('203.0.113.2', key)).toEqual([200, false]);
  });

  test('names the store that is unavailable', async () => {
    await redis.stop();
    const answer = await ask(open, '/readyz');
    expect([answer.status, await answer.json()]).toMatchObject([503, { failing: ['redis'] }]);
    const bare = await fetch(`${open.operatorUrl}/readyz`);
    expect([bare.status, 'failing' in ((await bare.json()) as object)]).toEqual([503, false]);
    expect((await ask(open, '/livez')).status).toBe(200);
  });
});
