/** What worker processes tell their operators over HTTP, and whom. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createMetricsReader } from '#test/harness/metrics.ts';
import { startTestRedis, type TestRedis } from '#test/harness/redis.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { startWorkerProcess, type WorkerProcess } from '#test/harness/worker-process.ts';

const key = 'the-operators-key';

describe('a worker process', () => {
  let redis: TestRedis;
  let store: ScratchStore;
  let open: WorkerProcess;
  let locked: WorkerProcess;
  beforeAll(async () => {
    [redis, store] = await Promise.all([startTestRedis(), openScratchStore('sqlite')]);
    const stores = { database: store.setting, redisUrl: redis.url };
    [open, locked] = await Promise.all([
      startWorkerProcess(['mail'], stores, { TRUSTED_PROXIES: '192.0.2.1' }),
      startWorkerProcess(['mail'], stores, { OPERATOR_KEY: key }),
    ]);
  }, 30_000);
  afterAll(async () => {
    await Promise.all([open.end('SIGTERM'), locked.end('SIGTERM')]);
    await redis.stop();
    await store.remove();
  });

  const ask = (worker: WorkerProcess, path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(worker.operatorUrl + path, { method, headers });

  test('tells that it lives, that it is ready, and how it is doing', async () => {
    expect(await (await ask(open, '/livez')).json()).toEqual({ live: true });
    expect(await (await ask(open, '/readyz')).json()).toEqual({ ready: true });
    const metrics = createMetricsReader(`${open.operatorUrl}/metrics`);
    expect(await metrics.read('hub_info', { process: 'mail' })).toBe(1);
    await metrics.until((value) => value > 10e6, 'process_resident_memory_bytes');
    await metrics.until((value) => value > 0, 'process_cpu_seconds_total');
    expect(Math.abs((await metrics.read('process_start_time_seconds')) - Date.now() / 1000)).toBeLessThan(
      600,
    );
    expect(await metrics.read('hub_event_loop_lag_seconds')).toBeGreaterThanOrEqual(0);
  });

  test('has nothing else, and takes no writes', async () => {
    for (const path of ['/', '/metrics/', '/constructor', '/v1/health'])
      expect((await ask(open, path)).status).toBe(404);
    expect((await ask(open, '/livez', {}, 'POST')).status).toBe(405);
  });

  test.each(['/livez', '/readyz', '/metrics'])(
    '%s is for this machine alone where no key is set',
    async (path) => {
      for (const headers of [
        { 'x-forwarded-for': '127.0.0.1' },
        { host: 'rebound.example' },
        { via: '1.1 proxy' },
      ]) {
        const refused = await ask(open, path, headers);
        expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([
          403,
          'operator_only',
        ]);
      }
    },
  );

  test.each(['/livez', '/readyz', '/metrics'])('%s asks for the key where one is set', async (path) => {
    expect((await ask(locked, path)).status).toBe(401);
    expect((await ask(locked, path, { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await ask(locked, path, { authorization: `Bearer ${key}` })).status).toBe(200);
    expect((await ask(locked, path, { authorization: `Basic ${btoa(`any:${key}`)}` })).status).toBe(200);
  });

  test('tells which store is away', async () => {
    await redis.stop();
    const answer = await ask(open, '/readyz');
    expect([answer.status, ((await answer.json()) as { failing: string[] }).failing]).toEqual([
      503,
      ['redis'],
    ]);
    expect((await ask(open, '/livez')).status).toBe(200);
  });
});
