/** Starts one service and restarts it whenever it ends, with growing pauses, until it is told to stop. */
import { StartError } from '#runtime/process/start-error.ts';
import type { RunningService, Service } from './service.ts';
import type { SupervisorLog } from './supervisor-log.ts';

export interface KeptService {
  /** Resolves when the service is ready for the first time; rejects if it is given up before that. */
  readonly firstReady: Promise<void>;
  /** Stops the service for good. Resolves when it has ended. */
  stop(): Promise<void>;
  kill(): void;
}

export interface KeepRunningOptions {
  readonly log: SupervisorLog;
  readonly pauses?: RestartPausePolicy;
  /** A service that was never ready is given up after this many starts. */
  readonly firstStartAttempts?: number;
}

const firstStartAttemptsMax = 5;

export function keepRunning(
  service: Service,
  { log, pauses = defaultRestartPauses, firstStartAttempts = firstStartAttemptsMax }: KeepRunningOptions,
): KeptService {
  const nextPause = restartPausesOf(pauses);
  const firstReady = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const stopping = new AbortController();
  let hasServed = false;
  let running: RunningService | null = null;

  const stopNow = async (one: RunningService): Promise<void> => {
    const how = await one.stop();
    if (how === 'by force')
      log.warn({ service: service.name }, `${service.name} did not stop in time and was killed`);
  };

  const runOnce = async (): Promise<{ how: string; ranForMs: number }> => {
    let readyAt = performance.now();
    try {
      running = await service.start();
      if (stopping.signal.aborted) void stopNow(running);
      await running.ready;
      readyAt = performance.now();
      hasServed = true;
      // Readiness during a stop does not count.
      if (!stopping.signal.aborted) firstReady.resolve();
      const how = await running.ended;
      return { how, ranForMs: performance.now() - readyAt };
    } catch (error) {
      await running?.ended;
      // After it has served once, any failure may be temporary: a port that is taken now may be free later.
      if (error instanceof StartError && !hasServed) throw error;
      return { how: error instanceof Error ? error.message : String(error), ranForMs: 0 };
    } finally {
      running = null;
    }
  };

  const run = async (): Promise<void> => {
    for (let attempt = 1; !stopping.signal.aborted; attempt += 1) {
      const { how, ranForMs } = await runOnce();
      if (stopping.signal.aborted) break;
      if (!hasServed && attempt >= firstStartAttempts) {
        throw new StartError(`${service.name} did not start in ${attempt} attempts: ${how}.`);
      }
      const pauseMs = nextPause(ranForMs);
      log.warn(
        { service: service.name, how, pauseMs },
        `${service.name} ended; starting it again after a pause`,
      );
      await Promise.race([Bun.sleep(pauseMs), stopped.promise]);
    }
  };

  const finished = run().then(
    () => firstReady.reject(new Error(`${service.name} was stopped before it was ready`)),
    (error: unknown) => firstReady.reject(error),
  );
  // Callers that wait for readiness see the rejection; after that nobody waits for it.
  firstReady.promise.catch(() => {});

  return {
    firstReady: firstReady.promise,
    stop: async () => {
      stopping.abort();
      stopped.resolve();
      if (running !== null) await stopNow(running);
      await finished;
    },
    kill: () => running?.kill(),
  };
}

/** Computes the pause before a restart: longer each time, until the service has run well for a while. */

interface RestartPausePolicy {
  readonly firstMs: number;
  readonly mostMs: number;
  /** A service that ran at least this long starts over with the first pause. */
  readonly stableAfterMs: number;
  /** Returns a number from 0 up to 1; for tests. */
  readonly random?: () => number;
}

const defaultRestartPauses: RestartPausePolicy = {
  firstMs: 250,
  mostMs: 30_000,
  stableAfterMs: 60_000,
};

/** Keeps processes that died together from restarting together. */
const jitterShare = 0.25;
/** Keeps the power of two finite; `maxMs` is reached long before. */
const maxDoublings = 20;

/** @returns a function that returns the pause in milliseconds after a run of `ranForMs`; a failed start counts as 0 */
export function restartPausesOf(policy: RestartPausePolicy): (ranForMs: number) => number {
  const random = policy.random ?? Math.random;
  let doublings = 0;
  return (ranForMs) => {
    if (ranForMs >= policy.stableAfterMs) doublings = 0;
    const pauseMs = Math.min(policy.firstMs * 2 ** doublings, policy.mostMs);
    doublings = Math.min(doublings + 1, maxDoublings);
    return Math.round(pauseMs * (1 - jitterShare * random()));
  };
}
