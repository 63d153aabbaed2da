/** A hub with worker processes, for tests of metrics. */
import type { PoolName } from '#workers/pool-registry.ts';
import { systemTestClock } from './clock.ts';
import { startTestHub } from './hub.ts';
import { createMetricsReader, type MetricsReader } from './metrics.ts';
import type { TestStore } from './stores.ts';
import { startTransport } from './transport.ts';
import { useStarted } from './use-started.ts';
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts';

export interface MeteredWorker extends WorkerProcess {
  readonly metrics: MetricsReader;
}

async function startMeteredHub(store: TestStore) {
  const { redisUrl, redis, publisher, stop } = await startTransport();
  const hub = await startTestHub({ store, redisUrl, publisher, clock: systemTestClock() });
  const workers: WorkerProcess[] = [];
  return {
    hub,
    /** Metrics of the API. */
    api: createMetricsReader(`${hub.url}/metrics`),
    redis,
    startWorker: async (
      pool: PoolName,
      settings?: Readonly<Record<string, string>>,
    ): Promise<MeteredWorker> => {
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

/** For the tests of a group. */
export function useMeteredHub(store: TestStore) {
  return useStarted(
    () => startMeteredHub(store),
    (metered) => metered.close(),
  );
}
