/**
 * Retries a guarded request after a temporary failure. The pauses grow and are randomized, so that many
 * callers of one target do not return at the same moment.
 */
import { setTimeout } from 'node:timers/promises';
import { systemClock, type Clock } from '#runtime/clock.ts';

import { failed, type GuardedFailure, type GuardedOutcome } from './outcome.ts';

export interface RetryOptions {
  /** Attempts after the first one. */
  readonly retries?: number;
  /** Whether to try again after `attempts` attempts. By default, the outcome decides, within `retries`. */
  readonly mayRetry?: (outcome: GuardedFailure, attempts: number) => boolean;
  /** The first pause. Each further one is twice as long, and each is shortened by up to half at random. */
  readonly pauseMs?: number;
  /** The longest pause, even if `Retry-After` asks for more. */
  readonly maxPauseMs?: number;
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

const defaults = { retries: 2, pauseMs: 250, maxPauseMs: 5_000 };

/**
 * Makes the request until it succeeds, fails for good, or has no retries left. Each attempt runs all checks
 * again.
 *
 * @param attempt makes one attempt; its argument counts from 1
 */
export async function withRetries(
  attempt: (number: number) => Promise<GuardedOutcome>,
  options: RetryOptions = {},
): Promise<RetriedOutcome> {
  const { retries = defaults.retries, signal, sleep = sleepUnlessAborted } = options;
  const { mayRetry = ({ retryable }, attempts) => retryable && attempts <= retries } = options;
  for (let number = 1; ; number += 1) {
    const outcome = await attempt(number);
    if (outcome.ok || !mayRetry(outcome, number)) return { ...outcome, attempts: number };
    await sleep(pauseAfter(outcome, number, options), signal);
    if (signal?.aborted === true) {
      return { ...failed('aborted', signal.reason), attempts: number };
    }
  }
}

function pauseAfter(outcome: GuardedOutcome, number: number, options: RetryOptions): number {
  const { pauseMs = defaults.pauseMs, maxPauseMs = defaults.maxPauseMs, random = Math.random } = options;
  const grown = pauseMs * 2 ** (number - 1) * (1 - random() / 2);
  const asked = 'retryAfter' in outcome ? retryAfterMs(outcome.retryAfter, options.clock ?? systemClock) : 0;
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
