/**
 * What came of a guarded request. Failures come in coarse classes only, so that whoever chose the target cannot use the
 * hub to scan ports: refused, filtered, unknown and unverified all read `unreachable`. The `cause` is for logs alone.
 */
import type { IncomingHttpHeaders } from 'node:http';

/** The request was answered with a 2xx status and a body within the limits. */
export interface GuardedAnswer {
  readonly ok: true;
  readonly status: number;
  /** Lower-case names. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  /** From the start of connecting to the last byte; look-up and waiting for a slot are not part of it. */
  readonly latencyMs: number;
  /** The `ip:port` that answered; for logs. */
  readonly address: string;
}

/**
 * - `unreachable`: no connection, so nothing was sent. The name, the port or the certificate may be wrong.
 * - `timeout`: connected, but the answer was not there in time.
 * - `blocked`: the URL or one of the addresses behind its name may not be called.
 * - `too_large`: the answer is over the size limit.
 * - `bad_response`: the answer is not HTTP, is encoded, or broke off.
 * - `aborted`: the caller's signal fired.
 */
export type GuardedFault = 'unreachable' | 'timeout' | 'blocked' | 'too_large' | 'bad_response' | 'aborted';

interface Failed {
  readonly ok: false;
  /** Whether another try may go better and can do no harm (`decisions.md` section 5: connect errors, 429, 502, 503, 504). */
  readonly retryable: boolean;
  /** For logs; never for the caller. */
  readonly cause: unknown;
}

export type GuardedFailure =
  | (Failed & { readonly fault: GuardedFault })
  /** Any status but 2xx; redirects are not followed and land here. */
  | (Failed & { readonly fault: 'bad_status'; readonly status: number; readonly retryAfter: string | null });

export type GuardedOutcome = GuardedAnswer | GuardedFailure;

const retryableStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export function failed(fault: GuardedFault, cause: unknown, retryable = false): GuardedFailure {
  return { ok: false, fault, retryable, cause };
}

export function badStatus(status: number, retryAfter: string | null): GuardedFailure {
  const cause = new Error(`The target answered with status ${status}.`);
  return {
    ok: false,
    fault: 'bad_status',
    retryable: retryableStatuses.has(status),
    cause,
    status,
    retryAfter,
  };
}
