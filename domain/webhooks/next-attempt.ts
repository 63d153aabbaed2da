import {
  deliveryTriedForMs,
  firstPauseMs,
  longestPauseMs,
  pauseGrowth,
  pauseJitterShare,
} from './webhook-limits.ts';

/**
 * When to retry a failed delivery: with growing pauses, until `triedForMs` after it was created. The last
 * attempt is made at that point; after it, returns null.
 * @param attempts attempts so far, at least 1
 * @param random a number from 0 up to 1
 */
export function nextAttemptAt(
  createdAt: Date,
  attempts: number,
  now: Date,
  triedForMs: number = deliveryTriedForMs,
  random: () => number = Math.random,
): Date | null {
  const lastMs = createdAt.getTime() + triedForMs;
  if (now.getTime() >= lastMs) return null;
  const grownMs = Math.min(longestPauseMs, firstPauseMs * pauseGrowth ** (attempts - 1));
  const pauseMs = grownMs * (1 - pauseJitterShare * random());
  return new Date(Math.min(lastMs, now.getTime() + Math.round(pauseMs)));
}
