/** Runs the whole hub: Redis first, then API and workers together; and ends it the other way round. */
import { keepRunning, type KeptService, type KeepRunningOptions } from './keep-running.ts';
import type { Service } from './service.ts';

export interface HubServices {
  /** What all others need; null when it runs elsewhere or nothing needs it. */
  readonly redis: Service | null;
  /** Made once Redis serves, as they are told its address. */
  readonly apis: () => readonly Service[];
  readonly workers: () => readonly Service[];
}

export interface Supervision {
  /** Resolves when everything serves; rejects with the first service that was given up. */
  readonly ready: Promise<void>;
  /** Ends the API processes, so that nothing new comes in, then the workers, then Redis. Resolves when all are gone. */
  stop(): Promise<void>;
  /** Ends everything at once. */
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
