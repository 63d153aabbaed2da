/** A clock that tests set. */
import type { Clock } from '#runtime/clock.ts';

export interface TestClock extends Clock {
  set(instant: Date): void;
  advance(ms: number): void;
}

export function createTestClock(start = new Date()): TestClock {
  let nowMs = start.getTime();
  return {
    now: () => new Date(nowMs),
    set: (instant) => {
      nowMs = instant.getTime();
    },
    advance: (ms) => {
      nowMs += ms;
    },
  };
}

/** For hubs with worker processes, which use the machine's clock. */
export function systemTestClock(): TestClock {
  const refuse = (): never => {
    throw new Error('The clock of the machine cannot be moved.');
  };
  return { now: () => new Date(), set: refuse, advance: refuse };
}
