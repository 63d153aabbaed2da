/** Worker processes for tests, started as operators start them. */
import type { PoolName } from '#workers/pool-registry.ts';
import { type HubProcessStores, spawnHubProcess } from './hub-process.ts';

export interface WorkerProcess {
  readonly pid: number;
  /** Where it answers operators. */
  readonly operatorUrl: string;
  /** SIGTERM: ends in order, SIGKILL: dies at once. Resolves with its exit code when it is gone. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number>;
  /** Resolves with its exit code when it is gone. */
  readonly exited: Promise<number>;
  /** SIGTERM, and resolves when it has begun to end. */
  tellToEnd(): Promise<void>;
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
}

/** Starts a process that runs `pools`, and waits until it works. `settings` are more of its environment. */
export async function startWorkerProcess(
  pools: readonly PoolName[],
  stores: HubProcessStores,
  settings: Readonly<Record<string, string>> = {},
  preload?: string,
): Promise<WorkerProcess> {
  const { child, said } = spawnHubProcess({
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
