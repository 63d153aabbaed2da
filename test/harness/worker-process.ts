/** Starts worker processes for tests, as operators start them. */
import type { PoolName } from '#workers/pool-registry.ts';
import { type HubBuild, type HubProcessStores, spawnHubProcess } from './hub-process.ts';

export interface WorkerProcess {
  readonly pid: number;
  /** The base URL of its metrics and health endpoints. */
  readonly operatorUrl: string;
  /** SIGTERM shuts it down in order, SIGKILL kills it. Resolves with the exit code. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number>;
  /** Resolves with the exit code. */
  readonly exited: Promise<number>;
  /** Sends SIGTERM and resolves when the shutdown has begun. */
  tellToEnd(): Promise<void>;
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
}

/** Resolves when the worker is ready. `settings` extend its environment. */
export async function startWorkerProcess(
  pools: readonly PoolName[],
  stores: HubProcessStores,
  settings: Readonly<Record<string, string>> = {},
  build?: HubBuild,
): Promise<WorkerProcess> {
  const { child, said } = await spawnHubProcess({
    program: 'worker',
    words: [...pools.flatMap((pool) => ['--pool', pool]), '--metrics-port', '0'],
    stores,
    build,
    settings: { EVAL_CALL_TIMEOUT_MS: '2000', ...settings },
  });
  const [, operatorUrl = ''] = await said.until(/"metrics":"([^"]+)"/);
  await said.until(/"working"/);
  return {
    pid: child.pid,
    operatorUrl,
    end: (signal) => {
      child.kill(signal);
      return child.exited;
    },
    exited: child.exited,
    tellToEnd: async () => {
      child.kill('SIGTERM');
      await said.until(/"shutting down"/);
    },
    signal: (signal) => child.kill(signal),
  };
}
