/**
 * Has acts done at a rate, whether the hub keeps up or not: what is late is made up for, as the world does not wait for a
 * hub either. Only so many are under way at once, so that a hub that stands still is not asked for everything at the end.
 */
import type { Acts } from './acts.ts';
import type { Visitor } from './visitor.ts';

export interface LoadOptions {
  readonly visitor: Visitor;
  readonly acts: Acts;
  /** Requests in a second. */
  readonly rate: number;
  readonly lastsMs: number;
}

export interface Load {
  readonly inFlight: number;
  /** Resolves when the time is up and everything under way is done. */
  readonly ended: Promise<void>;
  /** Starts no more acts. */
  stop(): void;
}

const inFlightMax = 128;
const tickMs = 20;
/** Longer than a run against a slow target takes, which a newcomer follows to its end. */
const lastActsMs = 180_000;

export function driveLoad({ visitor, acts, rate, lastsMs }: LoadOptions): Load {
  const startedAt = performance.now();
  const underWay = new Set<Promise<void>>();
  let stopped = false;

  const start = (): void => {
    const act = acts
      .next()
      .catch((error: unknown) => {
        if (!visitor.excuse(error)) visitor.hearing.complain(String(error));
      })
      .finally(() => underWay.delete(act));
    underWay.add(act);
  };

  async function drive(): Promise<void> {
    for (;;) {
      const sinceMs = performance.now() - startedAt;
      if (stopped || sinceMs > lastsMs) break;
      let due = (sinceMs / 1_000) * rate - visitor.asked - underWay.size;
      for (; due >= 1 && underWay.size < inFlightMax; due -= 1) start();
      await Bun.sleep(tickMs);
    }
    await Promise.race([
      Promise.all(underWay),
      Bun.sleep(lastActsMs).then(() => visitor.hearing.complain(`${underWay.size} acts did not end.`)),
    ]);
  }

  const ended = drive();
  return {
    get inFlight() {
      return underWay.size;
    },
    ended,
    stop: () => void (stopped = true),
  };
}
