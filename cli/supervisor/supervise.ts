/**
 * Runs the whole hub: starts Redis, then the API and the workers together, and stops them in reverse order.
 */
import { keepRunning, type KeepRunningOptions, type KeptService } from './keep-running.ts';
import type { Service } from './service.ts';

export interface HubServices {
  /** Needed by all others; null when Redis runs elsewhere or is not needed. */
  readonly redis: Service | null;
  /** Called once Redis is ready, because the processes need its address. */
  readonly apis: () => readonly Service[];
  readonly workers: () => readonly Service[];
}

export interface Supervision {
  /** Resolves when everything is ready; rejects when the first service is given up. */
  readonly ready: Promise<void>;
  /**
   * Stops the API processes, so that nothing new comes in, then the workers, then Redis. Resolves when all
   * have ended.
   */
  stop(): Promise<void>;
  /** Kills everything immediately. */
  kill(): void;
}

export function supervise(services: HubServices, options: KeepRunningOptions): Supervision {
  let redis: KeptService | null = null;
  let apis: readonly KeptService[] = [];
  let workers: readonly KeptService[] = [];
  let stopping = false;

  const start = async (): Promise<void> => {
    if (services.redis !== null) {
      redis = keepRunning(services.redis, options);
      await redis.firstReady;
    }
    if (stopping) return;
    apis = services.apis().map((api) => keepRunning(api, options));
    workers = services.workers().map((worker) => keepRunning(worker, options));
    await Promise.all([...apis, ...workers].map((service) => service.firstReady));
  };

  return {
    ready: start(),
    stop: async () => {
      stopping = true;
      await Promise.all(apis.map((api) => api.stop()));
      await Promise.all(workers.map((worker) => worker.stop()));
      await redis?.stop();
    },
    kill: () => {
      for (const service of [...apis, ...workers, redis]) service?.kill();
    },
  };
}
