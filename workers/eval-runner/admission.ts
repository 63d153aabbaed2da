/**
 * Lets only so many runs against one target into a process at once. A target takes eight calls at once however many
 * runs want it, so that more of them would only keep the runs of others from starting. Who finds no place goes back to
 * the queue for a while, and stands in line here: as soon as somebody leaves, the first in line is brought.
 */
import type { Bring } from '#runtime/jobs/job-worker.ts';

/** Two runs fill a target's eight places; the others are there to take over while those make and settle. */
export const runsPerTargetMax = 6;
/** Of all targets together. Who is not in line comes back by itself. */
export const lineLengthMax = 10_000;
/** When who was not brought comes back, for instance because the process in whose line it stood has died. */
const comeBack = { soonestMs: 1_000, apartMs: 10, latestMs: 60_000 };
/** Who is this late has been taken up by another process. */
const goneMs = 5_000;

export interface Admission {
  /** @returns what gives the place back, or null when the target has as many runs as it may */
  enter(targetUrl: string): (() => void) | null;
  /** How long a run that found no place stays away unless it is brought: the longer the line, the longer. */
  comeBackMs(targetUrl: string): number;
  /** Puts a run in line that was put off; where a place has come free meanwhile, it is brought at once. */
  standInLine(targetUrl: string, runId: string, bring: Bring): void;
}

interface Waiting {
  readonly bring: Bring;
  readonly goneAt: number;
}

interface Target {
  running: number;
  /** By the run, so that one that came back by itself and was put off again stands in it once. */
  readonly line: Map<string, Waiting>;
}

export function createAdmission(
  max: number,
  lineMax: number = lineLengthMax,
  now: () => number = () => performance.now(),
): Admission {
  const targets = new Map<string, Target>();

  function comeBackMsOf({ line }: Target): number {
    return Math.min(comeBack.latestMs, comeBack.soonestMs + comeBack.apartMs * line.size);
  }

  function targetOf(host: string): Target {
    return targets.get(host) ?? { running: 0, line: new Map() };
  }

  /** Who is not put off any more was taken up by another process, and the next one is asked. */
  async function bringNext(host: string, { line }: Target): Promise<void> {
    for (const [runId, { bring }] of line) {
      line.delete(runId);
      if (await bring()) return;
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
        void bringNext(host, target);
      };
    },
    comeBackMs: (targetUrl) => comeBackMsOf(targetOf(new URL(targetUrl).host)),
    standInLine: (targetUrl, runId, bring) => {
      const target = targetOf(new URL(targetUrl).host);
      if (target.running < max) void bring();
      else if (target.line.has(runId) || !isLineFull())
        target.line.set(runId, { bring, goneAt: now() + comeBackMsOf(target) + goneMs });
    },
  };
}
