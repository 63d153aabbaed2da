/**
 * Repeats a guarded request that failed in a way that may pass, after growing pauses with some chance in them, so that
 * many callers of one target do not come back at the same moment.
 */
import { systemClock, type Clock } from '#runtime/clock.ts';

import type { GuardedOutcome } from './outcome.ts';

export interface RetryOptions {
  /** Tries after the first one. */
  readonly retries?: number;
  /** The first pause; each further one is twice as long, and each is cut by up to half at random. */
  readonly pauseMs?: number;
  /** The longest pause, also when the target asks for more by `Retry-After`. */
  readonly maxPauseMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Waits, or ends early when the signal fires; it need not say which. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** A number from 0 up to 1. */
  readonly random?: () => number;
  readonly clock?: Clock;
}

export type RetriedOutcome = GuardedOutcome & {
  /** How many times the request was made, from 1. */
  readonly attempts: number;
};

/** `decisions.md` section 5 asks for two retries. */
const defaults = { retries: 2, pauseMs: 250, maxPauseMs: 5_000 };

/**
 * Makes the request until it succeeds, fails for good or has been tried often enough. Each try runs all checks anew.
 *
 * @param attempt makes one try; it is told which, from 1.
 */
export async function withRetries(
  attempt: (number: number) => Promise<GuardedOutcome>,
  options: RetryOptions = {},
): Promise<RetriedOutcome> {
  const { retries = defaults.retries, signal, sleep = sleepUnlessAborted } = options;
  for (let number = 1; ; number += 1) {
    const outcome = await attempt(number);
    if (outcome.ok || !outcome.retryable || number > retries) return { ...outcome, attempts: number };
    await sleep(pauseAfter(outcome, number, options), signal);
    if (signal?.aborted === true) {
      return { ok: false, fault: 'aborted', retryable: false, cause: signal.reason, attempts: number };
    }
  }
}

function pauseAfter(outcome: GuardedOutcome, number: number, options: RetryOptions): number {
  const { pauseMs = defaults.pauseMs, maxPauseMs = defaults.maxPauseMs, random = Math.random } = options;
  const grown = pauseMs * 2 ** (number - 1) * (1 - random() / 2);
  const asked = 'retryAfter' in outcome ? retryAfterMs(outcome.retryAfter, options.clock ?? systemClock) : 0;
  return Math.min(maxPauseMs, Math.max(grown, asked));
}

/** Seconds or a date (RFC 9110 section 10.2.3); anything else counts as not said. */
function retryAfterMs(header: string | null, clock: Clock): number {
  if (header === null) return 0;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? 0 : date - clock.now().getTime();
}

function sleepUnlessAborted(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal?.aborted === true) return Promise.resolve();
  const timer = setTimeout(resolve, ms);
  const onAbort = () => {
    clearTimeout(timer);
    resolve();
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  return promise.finally(() => signal?.removeEventListener('abort', onAbort));
}
