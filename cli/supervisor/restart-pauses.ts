/** How long to wait before something that ended is started again: longer each time, until it has run well for a while. */

export interface RestartPausePolicy {
  readonly firstMs: number;
  readonly mostMs: number;
  /** Who has run for this long before it ended starts over with the first pause. */
  readonly stableAfterMs: number;
  /** A number from 0 up to 1; for tests. */
  readonly random?: () => number;
}

export const defaultRestartPauses: RestartPausePolicy = {
  firstMs: 250,
  mostMs: 30_000,
  stableAfterMs: 60_000,
};

/** Keeps several processes that died of one cause from coming back in step. */
const jitterShare = 0.25;
/** Doubling more often than this passes any pause that makes sense. */
const maxDoublings = 20;

export interface RestartPauses {
  /** The pause in milliseconds after a run of `ranForMs`; the start that failed counts as a run of 0. */
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
