/** Runs the whole hub: Redis first, then the API and the workers together; and ends it the other way round. */
import { keepRunning, type KeptService, type KeepRunningOptions } from './keep-running.ts';
import type { Service } from './service.ts';

export interface HubServices {
  /** What all others need; null when it runs elsewhere or nothing needs it. */
  readonly redis: Service | null;
  /** Made once Redis serves, as they are told its address. */
  readonly api: () => Service;
  readonly workers: () => readonly Service[];
}

export interface Supervision {
  /** Resolves when everything serves; rejects with the first service that was given up. */
  readonly ready: Promise<void>;
  /** Ends the API, so that nothing new comes in, then the workers, then Redis. Resolves when all are gone. */
  stop(): Promise<void>;
  /** Ends everything at once. */
  kill(): void;
}

export function supervise(services: HubServices, options: KeepRunningOptions): Supervision {
  let redis: KeptService | null = null;
  let api: KeptService | null = null;
  let workers: readonly KeptService[] = [];
  let stopping = false;

  const start = async (): Promise<void> => {
    if (services.redis !== null) {
      redis = keepRunning(services.redis, options);
      await redis.firstReady;
    }
    if (stopping) return;
    api = keepRunning(services.api(), options);
    workers = services.workers().map((worker) => keepRunning(worker, options));
    await Promise.all([api, ...workers].map((service) => service.firstReady));
  };

  return {
    ready: start(),
    stop: async () => {
      stopping = true;
      await api?.stop();
      await Promise.all(workers.map((worker) => worker.stop()));
      await redis?.stop();
    },
    kill: () => {
      for (const service of [api, ...workers, redis]) service?.kill();
    },
  };
}
