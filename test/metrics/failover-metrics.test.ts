/** The metrics of failovers, which the alerts for Redis with replicas and Postgres with standbys use. */
import { expect, test } from 'bun:test';
import { openDatabase } from '#db/open-database.ts';
import { createMetricsReader } from '#test/harness/metrics.ts';
import { startMeteredHub } from '#test/harness/metered-hub.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { startPostgresPair } from '#test/harness/postgres-pair.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { onStore } from '#test/harness/stores.ts';
import { startWorkerProcess } from '#test/harness/worker-process.ts';

onStore('sqlite', (store) => {
  test('a loss of Redis data is counted, with the open jobs published again', async () => {
    const metered = await startMeteredHub(store);
    const { hub, redis } = metered;
    try {
      const { bearerToken: token } = await createTestAgent(hub.ctx, { tokens: 1, freeEvalTaken: true });
      const json = { product: 'eval-run', target_url: 'http://127.0.0.1:9/' };
      expect((await hub.fetch('/v1/redemptions', { token, json })).status).toBe(200);
      const { metrics } = await metered.startWorker('sweeper');
      await metrics.until((value) => value === 1, 'hub_redis_replacements_total');
      const known = await metrics.read('hub_jobs_announced_again_total', { reason: 'new_redis' });
      await redis.flushall();
      await metrics.until((value) => value === 2, 'hub_redis_replacements_total');
      const again = await metrics.read('hub_jobs_announced_again_total', { reason: 'new_redis' });
      expect(again).toBe(known + 1);
    } finally {
      await metered.close();
    }
  });
});

test('a process counts the Postgres failovers that it followed', async () => {
  await using stack = new AsyncDisposableStack();
  const pair = await startPostgresPair();
  stack.defer(() => pair.stop());
  const setting = { kind: 'postgres', url: pair.url } as const;
  await (await openDatabase(setting)).close();
  const redis = await startTestRedis();
  stack.defer(() => redis.stop());
  const worker = await startWorkerProcess(['mail'], { database: setting, redisUrl: redis.url });
  stack.defer(async () => void (await worker.end('SIGKILL')));
  const metrics = createMetricsReader(`${worker.operatorUrl}/metrics`);
  expect(await metrics.read('hub_database_primary_changes_total')).toBe(0);
  await pair.failOver();
  await metrics.until((value) => value === 1, 'hub_database_primary_changes_total');
});
