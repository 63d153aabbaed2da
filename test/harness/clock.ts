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
