/** Worker processes that die, or stop for a while. */
import type { PoolName } from '#workers/pool-registry.ts';
import { type Disturbance, nothingToEnd } from './disturbance.ts';

/** @param pools of the replacement, which starts before the worker dies */
export function killWorker(index: number, pools: readonly PoolName[]): Disturbance {
  return {
    name: `worker ${index} killed`,
    start: async (hub) => {
      const replacement = hub.startWorker(pools);
      await hub.workers[index]!.end('SIGKILL');
      hub.workers[index] = await replacement;
      return nothingToEnd;
    },
  };
}

export function stopWorker(index: number): Disturbance {
  return {
    name: `worker ${index} stopped (SIGSTOP)`,
    start: async ({ workers }) => {
      const worker = workers[index]!;
      worker.signal('SIGSTOP');
      return async () => worker.signal('SIGCONT');
    },
  };
}
