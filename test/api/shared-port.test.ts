/**
 * Two API processes on one port: both serve, one may stop, and a process not configured to share is rejected.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { settlePort } from '#cli/supervisor/settle-defaults.ts';
import { systemClock } from '#runtime/clock.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { type ApiProcess, startApiProcess } from '#test/harness/api-process.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { startTestRedis, type TestRedis } from '#test/harness/redis.ts';
import { testOperatorKey } from '#test/harness/secret-key.ts';
import { onStore } from '#test/harness/stores.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';

const host = '127.0.0.1';
const readsPerMinute = 60;
const dataDir = useTestFolder();

describe.skipIf(process.platform !== 'linux')('two API processes on one port', () => {
  onStore('sqlite', (store) => {
    let redis: TestRedis;
    let port: number;
    let metricsPorts: readonly number[] = [];
    let apis: readonly ApiProcess[] = [];

    beforeAll(async () => {
      redis = await startTestRedis();
      port = await settlePort(host, 0);
      metricsPorts = [await settlePort(host, 0), await settlePort(host, 0)];
      apis = await Promise.all(metricsPorts.map((own) => start({ API_METRICS_PORT: String(own) })));
    });
    afterAll(async () => {
      await Promise.all(apis.map((api) => api.end('SIGKILL')));
      await redis.stop();
    });

    function start(settings: Readonly<Record<string, string>>): Promise<ApiProcess> {
      const shared = { DATA_DIR: dataDir, PORT: String(port), READS_PER_MINUTE: String(readsPerMinute) };
      const stores = { database: store.setting, redisUrl: redis.url };
      return startApiProcess(stores, { ...shared, API_PROCESSES: '2', ...settings });
    }

    /** Each request opens a new connection, because the kernel distributes connections. */
    async function ask(times: number, path: string, token?: string): Promise<readonly number[]> {
      const headers = { connection: 'close', ...(token && { authorization: `Bearer ${token}` }) };
      const responses = Array.from({ length: times }, async () => {
        const response = await fetch(`http://${host}:${port}${path}`, { headers, keepalive: false });
        await response.arrayBuffer();
        return response.status;
      });
      return (await Promise.all(responses)).toSorted((one, other) => one - other);
    }

    /** The number of requests to `route` that a process has counted. */
    async function countAt(metricsPort: number, route: string): Promise<number> {
      const response = await fetch(`http://${host}:${metricsPort}/metrics`, {
        headers: { authorization: `Bearer ${testOperatorKey}` },
      });
      const wanted = new RegExp(`^hub_http_requests_total\\{.*route="${route}".*\\} (\\d+)$`, 'gm');
      const counts = (await response.text()).matchAll(wanted);
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
    }

    test('both serve, each reports its own metrics, and a token has one rate limit', async () => {
      const agent = await createTestAgent({ ...createTestCtx(store.db), clock: systemClock });
      const startedAt = performance.now();
      // With a limit in each process, all of them would pass.
      const statuses = await ask(readsPerMinute + 40, '/v1/agents/me', agent.bearerToken);
      const allowedSince = ((performance.now() - startedAt) / 60_000) * readsPerMinute;
      const passed = statuses.filter((status) => status === 200).length;
      expect(passed).toBeWithin(readsPerMinute, readsPerMinute + Math.ceil(allowedSince) + 1);
      expect(statuses.filter((status) => status === 429)).toHaveLength(readsPerMinute + 40 - passed);
      const counts = await Promise.all(metricsPorts.map((own) => countAt(own, '/v1/agents/me')));
      expect(Math.min(...counts)).toBeGreaterThan(0);
      expect(counts[0]! + counts[1]!).toBe(readsPerMinute + 40);
    });

    test('a hub that is not configured to share the port fails to start', async () => {
      await expect(start({ API_PROCESSES: '1' })).rejects.toThrow('The program ended without');
      await expect(settlePort(host, port)).rejects.toThrow(`Port ${port} on ${host} is in use`);
    });

    test('when one shuts down, the other serves everybody', async () => {
      expect(await apis[0]?.end('SIGTERM')).toBe(0);
      expect(new Set(await ask(40, '/v1/health'))).toEqual(new Set([200]));
    });
  });
});
