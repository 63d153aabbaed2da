/**
 * Retries a guarded request after a temporary failure. The pauses grow and are randomized, so that many
 * callers of one target do not return at the same moment.
 */
import { setTimeout } from 'node:timers/promises';
import { systemClock, type Clock } from '#runtime/clock.ts';

import { failed, type GuardedFailure, type GuardedOutcome } from './outcome.ts';

export interface RetryOptions {
  /** Whether to try again after `attempts` attempts. */
  readonly mayRetry: (outcome: GuardedFailure, attempts: number) => boolean;
  /** The longest pause, even if `Retry-After` asks for more. */
  readonly maxPauseMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Waits, or returns early when the signal fires. It need not say which. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** A number from 0 up to, but not including, 1. */
  readonly random?: () => number;
  readonly clock?: Clock;
}

export type RetriedOutcome = GuardedOutcome & {
  /** Number of requests made, at least 1. */
  readonly attempts: number;
};

/** Each further pause is twice as long, and each is shortened by up to half at random. */
const firstPauseMs = 250;

/** Makes the request until it succeeds or `mayRetry` says no. Each attempt runs all checks again. */
export async function withRetries(
  attempt: () => Promise<GuardedOutcome>,
  options: RetryOptions,
): Promise<RetriedOutcome> {
  const { mayRetry, signal, sleep = sleepUnlessAborted } = options;
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await attempt();
    if (outcome.ok || !mayRetry(outcome, attempts)) return { ...outcome, attempts };
    await sleep(pauseAfter(outcome, attempts, options), signal);
    if (signal?.aborted === true) return { ...failed('aborted', signal.reason), attempts };
  }
}

function pauseAfter(
  outcome: GuardedFailure,
  attempts: number,
  { maxPauseMs, random = Math.random, clock = systemClock }: RetryOptions,
): number {
  const grown = firstPauseMs * 2 ** (attempts - 1) * (1 - random() / 2);
  const asked = outcome.fault === 'bad_status' ? retryAfterMs(outcome.retryAfter, clock) : 0;
  return Math.min(maxPauseMs, Math.max(grown, asked));
}

/** Seconds or a date (RFC 9110 section 10.2.3). Any other value is ignored. */
function retryAfterMs(header: string | null, clock: Clock): number {
  if (header === null) return 0;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? 0 : date - clock.now().getTime();
}

async function sleepUnlessAborted(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}
