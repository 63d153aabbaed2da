/** Starts worker processes for tests, as operators start them. */
import type { PoolName } from '#workers/pool-registry.ts';
import { type HubProcessStores, type Preload, spawnHubProcess } from './hub-process.ts';

export type WorkerProcess = Awaited<ReturnType<typeof startWorkerProcess>>;

/** Resolves when the worker is ready. `settings` extend its environment. */
export async function startWorkerProcess(
  pools: readonly PoolName[],
  stores: HubProcessStores,
  settings: Readonly<Record<string, string>> = {},
  preload?: Preload,
) {
  const { child, said, end } = await spawnHubProcess({
    program: 'worker',
    words: [...pools.flatMap((pool) => ['--pool', pool]), '--metrics-port', '0'],
    stores,
    preload,
    settings: { EVAL_CALL_TIMEOUT_MS: '2000', ...settings },
  });
  const [, operatorUrl = ''] = await said.until(/"metrics":"([^"]+)"/);
  await said.until(/"working"/);
  return {
    pid: child.pid,
    /** The base URL of its metrics and health endpoints. */
    operatorUrl,
    end,
    /** Resolves with the exit code. */
    exited: child.exited,
    /** Sends SIGTERM and resolves when the shutdown has begun. */
    tellToEnd: async () => {
      child.kill('SIGTERM');
      await said.until(/"shutting down"/);
    },
    signal: (signal: 'SIGSTOP' | 'SIGCONT') => child.kill(signal),
  };
}
