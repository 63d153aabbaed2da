/** The source of the current time, passed in so that tests can control it. */
export interface Clock {
  now(): Date;
}

/** By how much the clocks of a hub's machines differ at most. Times beyond that are of a clock that was set back since. */
export const clocksDifferMaxMs = 60_000;

export const systemClock: Clock = { now: () => new Date() };
