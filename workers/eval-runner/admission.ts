/**
 * Limits the runs against one target in this process. A target takes eight calls at once, so more runs would only keep
 * runs against other targets from starting. A run that is not admitted goes back to the queue with a delay and waits in
 * a line here. When a run leaves, the first in line is delivered at once.
 */
import type { Bring } from '#runtime/jobs/job-worker.ts';

/** Two runs use all eight calls of a target. The others take over while those start and settle. */
export const runsPerTargetMax = 6;
/** Over all targets. A run that finds the line full still comes back after its delay. */
export const lineLengthMax = 10_000;
/** The delay of a run that no other run wakes, e.g. because the process that had it in line has died. */
const retryDelay = { minMs: 1_000, perWaitingRunMs: 10, maxMs: 60_000 };
/** A waiting run this long past its delay was taken by another process. */
const goneMs = 5_000;

export interface Admission {
  /** @returns a function that gives the place back, or null when the target has no place left */
  enter(targetUrl: string): (() => void) | null;
  /** How long a run that was not admitted is delayed. It grows with the line. */
  retryDelayMs(targetUrl: string): number;
  /** Adds a delayed run to the line, or has it delivered at once if a place is free by now. */
  joinLine(targetUrl: string, runId: string, deliver: Bring): void;
}

interface WaitingRun {
  readonly deliver: Bring;
  readonly goneAt: number;
}

interface Target {
  running: number;
  /** By run id, so that a run that was delivered and delayed again is in it once. */
  readonly line: Map<string, WaitingRun>;
}

export function createAdmission(
  max: number,
  lineMax: number = lineLengthMax,
  now: () => number = () => performance.now(),
): Admission {
  const targets = new Map<string, Target>();

  function delayMsOf({ line }: Target): number {
    return Math.min(retryDelay.maxMs, retryDelay.minMs + retryDelay.perWaitingRunMs * line.size);
  }

  function targetOf(host: string): Target {
    return targets.get(host) ?? { running: 0, line: new Map() };
  }

  /** A run that is no longer delayed was taken by another process, so the next one is tried. */
  async function deliverNext(host: string, { line }: Target): Promise<void> {
    for (const [runId, { deliver }] of line) {
      line.delete(runId);
      if (await deliver()) return;
    }
    forgetUnused(host);
  }

  function forgetUnused(host: string): void {
    const target = targets.get(host);
    if (target?.running === 0 && target.line.size === 0) targets.delete(host);
  }

  function countWaiting(): number {
    return targets.values().reduce((sum, { line }) => sum + line.size, 0);
  }

  function isLineFull(): boolean {
    if (countWaiting() < lineMax) return false;
    for (const [host, { line }] of targets) {
      for (const [runId, { goneAt }] of line) if (goneAt < now()) line.delete(runId);
      forgetUnused(host);
    }
    return countWaiting() >= lineMax;
  }

  return {
    enter: (targetUrl) => {
      const { host } = new URL(targetUrl);
      const target = targetOf(host);
      if (target.running >= max) return null;
      target.running += 1;
      targets.set(host, target);
      return () => {
        target.running -= 1;
        void deliverNext(host, target);
      };
    },
    retryDelayMs: (targetUrl) => delayMsOf(targetOf(new URL(targetUrl).host)),
    joinLine: (targetUrl, runId, deliver) => {
      const target = targetOf(new URL(targetUrl).host);
      if (target.running < max) void deliver();
      else if (target.line.has(runId) || !isLineFull())
        target.line.set(runId, { deliver, goneAt: now() + delayMsOf(target) + goneMs });
    },
  };
}
