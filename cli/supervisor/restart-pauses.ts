/** Computes the pause before a restart: longer each time, until the service has run well for a while. */

export interface RestartPausePolicy {
  readonly firstMs: number;
  readonly mostMs: number;
  /** A service that ran at least this long starts over with the first pause. */
  readonly stableAfterMs: number;
  /** Returns a number from 0 up to 1; for tests. */
  readonly random?: () => number;
}

export const defaultRestartPauses: RestartPausePolicy = {
  firstMs: 250,
  mostMs: 30_000,
  stableAfterMs: 60_000,
};

/** Keeps processes that died together from restarting together. */
const jitterShare = 0.25;
/** Keeps the power of two finite; `maxMs` is reached long before. */
const maxDoublings = 20;

export interface RestartPauses {
  /** Returns the pause in milliseconds after a run of `ranForMs`; a failed start counts as 0. */
  next(ranForMs: number): number;
}

export function createRestartPauses(policy: RestartPausePolicy): RestartPauses {
  const random = policy.random ?? Math.random;
  let doublings = 0;
  return {
    next: (ranForMs) => {
      if (ranForMs >= policy.stableAfterMs) doublings = 0;
      const pauseMs = Math.min(policy.firstMs * 2 ** doublings, policy.mostMs);
      doublings = Math.min(doublings + 1, maxDoublings);
      return Math.round(pauseMs * (1 - jitterShare * random()));
    },
  };
}
