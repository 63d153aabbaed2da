/** A hub with worker processes, for tests of metrics. */
import type { Redis } from '#runtime/redis/redis.ts';
import type { PoolName } from '#workers/pool-registry.ts';
import { systemTestClock } from './clock.ts';
import { startTestHub, type TestHub } from './hub.ts';
import { createMetricsReader, type MetricsReader } from './metrics.ts';
import type { TestStore } from './stores.ts';
import { startTransport } from './transport.ts';
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts';

export interface MeteredWorker extends WorkerProcess {
  readonly metrics: MetricsReader;
}

export interface MeteredHub {
  readonly hub: TestHub;
  /** Metrics of the API. */
  readonly api: MetricsReader;
  readonly redis: Redis;
  startWorker(pool: PoolName, settings?: Readonly<Record<string, string>>): Promise<MeteredWorker>;
  close(): Promise<void>;
}

export async function startMeteredHub(store: TestStore): Promise<MeteredHub> {
  const { redisUrl, redis, publisher, stop } = await startTransport();
  const hub = await startTestHub({ store, redisUrl, publisher, clock: systemTestClock() });
  const workers: WorkerProcess[] = [];
  return {
    hub,
    api: createMetricsReader(`${hub.url}/metrics`),
    redis,
    startWorker: async (pool, settings) => {
      const stores = { database: store.setting, redisUrl };
      const worker = await startWorkerProcess([pool], stores, settings);
      workers.push(worker);
      return { ...worker, metrics: createMetricsReader(`${worker.operatorUrl}/metrics`) };
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.end('SIGKILL')));
      await hub.close();
      await stop();
    },
  };
}
