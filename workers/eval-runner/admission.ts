/**
 * Lets only so many runs against one target into a process at once. A target takes eight calls at once however many
 * runs want it, so that more of them would only keep the runs of others from starting.
 */

/** Two runs fill a target's eight places; the others are there to take over while those make and settle. */
export const runsPerTargetMax = 6;

export interface Admission {
  /** @returns what gives the place back, or null when the target has as many runs as it may */
  enter(targetUrl: string): (() => void) | null;
}

export function createAdmission(max: number): Admission {
  const running = new Map<string, number>();
  return {
    enter: (targetUrl) => {
      const target = new URL(targetUrl).host;
      const runs = running.get(target) ?? 0;
      if (runs >= max) return null;
      running.set(target, runs + 1);
      return () => {
        const left = (running.get(target) ?? 1) - 1;
        if (left === 0) running.delete(target);
        else running.set(target, left);
      };
    },
  };
}
