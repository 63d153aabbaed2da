/** Time is handed in, never read from the air, so that tests can hold it still. */
export interface Clock {
  /** The present instant. */
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
