/** A clock that tests move by hand. */
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

/** For hubs whose workers are processes of their own, which go by the machine's clock. */
export function systemTestClock(): TestClock {
  const refuse = (): never => {
    throw new Error('The clock of the machine cannot be moved.');
  };
  return { now: () => new Date(), set: refuse, advance: refuse };
}
