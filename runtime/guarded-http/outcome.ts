/**
 * The outcome of a guarded request. The classes of failure are coarse, so that a target's owner cannot use
 * the hub to scan ports: refused, filtered, unknown and unverified are all `unreachable`. The `cause` is for
 * logs only.
 */
import type { IncomingHttpHeaders } from 'node:http';

/** The target returned a 2xx status and a body within the limits. */
export interface GuardedAnswer {
  readonly ok: true;
  readonly status: number;
  /** In lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  /** From the start of connecting to the last byte. Excludes the lookup and the wait for a slot. */
  readonly latencyMs: number;
  /** The `ip:port` that responded, for logs. */
  readonly address: string;
}

/**
 * - `unreachable`: no connection, so nothing was sent. The name, the port or the certificate may be wrong.
 * - `timeout`: connected, but the response was not complete in time.
 * - `blocked`: the URL or an address of its name may not be called.
 * - `too_large`: the response exceeds the size limit.
 * - `encoded`: the response is compressed, although the request asked for a plain one.
 * - `bad_response`: the response is not HTTP, or ended early.
 * - `aborted`: the caller's signal fired.
 */
export type GuardedFault =
  | 'unreachable'
  | 'timeout'
  | 'blocked'
  | 'too_large'
  | 'encoded'
  | 'bad_response'
  | 'aborted';

interface Failed {
  readonly ok: false;
  /** For logs, never for the caller. */
  readonly cause: unknown;
}

/** The part of a response that arrived. */
export interface Received {
  readonly status: number;
  /** The beginning; empty if it was encoded or did not arrive in time. */
  readonly body: Uint8Array;
}

export type GuardedFailure =
  | (Failed & {
      readonly fault: GuardedFault;
      /** Whether no connection was made, and another attempt may make one. */
      readonly retryable: boolean;
      /** Null if no response began. */
      readonly received: Received | null;
    })
  /** Any status but 2xx. Redirects are not followed, so they are included. */
  | (Failed & Received & { readonly fault: 'bad_status'; readonly retryAfter: string | null });

export type GuardedOutcome = GuardedAnswer | GuardedFailure;

export function failed(
  fault: GuardedFault,
  cause: unknown,
  { retryable = false, received = null }: { retryable?: boolean; received?: Received | null } = {},
): GuardedFailure {
  return { ok: false, fault, retryable, cause, received };
}

export function badStatus(status: number, retryAfter: string | null, body: Uint8Array): GuardedFailure {
  const cause = new Error(`The target responded with status ${status}.`);
  return { ok: false, fault: 'bad_status', cause, status, retryAfter, body };
}
