/**
 * Performs activities at a fixed rate, whether the hub keeps up or not, as real clients do; what is late is caught up.
 * A bound on concurrent activities protects a hub that has stalled from the whole backlog at once.
 */
import type { Activities } from './activities.ts';
import type { Session } from './session.ts';

export interface LoadOptions {
  readonly session: Session;
  readonly activities: Activities;
  /** Requests per second. */
  readonly rate: number;
  readonly durationMs: number;
}

export interface Load {
  readonly inFlight: number;
  /** Resolves when the time is up and all activities have ended. */
  readonly ended: Promise<void>;
  /** Starts no more activities. */
  stop(): void;
}

const inFlightMax = 128;
const tickMs = 20;
/** Longer than an eval run against a slow target, which a new agent follows to its end. */
const lastActivitiesMs = 180_000;

export function driveLoad({ session, activities, rate, durationMs }: LoadOptions): Load {
  const startedAt = performance.now();
  const running = new Set<Promise<void>>();
  let stopped = false;

  const start = (): void => {
    const activity = activities
      .next()
      .catch((error: unknown) => {
        if (!session.excuse(error)) session.witness.report(String(error));
      })
      .finally(() => running.delete(activity));
    running.add(activity);
  };

  async function drive(): Promise<void> {
    for (;;) {
      const sinceMs = performance.now() - startedAt;
      if (stopped || sinceMs > durationMs) break;
      let due = (sinceMs / 1_000) * rate - session.witness.responses - running.size;
      for (; due >= 1 && running.size < inFlightMax; due -= 1) start();
      await Bun.sleep(tickMs);
    }
    await Promise.race([
      Promise.all(running),
      Bun.sleep(lastActivitiesMs).then(() =>
        session.witness.report(`${running.size} activities did not end.`),
      ),
    ]);
  }

  const ended = drive();
  return {
    get inFlight() {
      return running.size;
    },
    ended,
    stop: () => void (stopped = true),
  };
}
