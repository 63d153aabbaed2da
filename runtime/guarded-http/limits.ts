/** All limits of the guarded client. */

/** The limits of one request. A caller may lower or raise each. */
export interface GuardedHttpLimits {
  /** For looking up the host name. */
  readonly resolveTimeoutMs: number;
  /** For TCP and TLS together, over all addresses tried for one request. */
  readonly connectTimeoutMs: number;
  /** From the established connection to the last byte of the response, however slowly bytes trickle in. */
  readonly answerTimeoutMs: number;
  /** For the body of the response. */
  readonly maxBodyBytes: number;
  /** For the status line and headers of the response. The trailers may have the same size again. */
  readonly maxHeaderBytes: number;
  /** Interim (1xx) responses accepted before the final one. */
  readonly maxInterimAnswers: number;
  /** A name with more addresses is rejected instead of checked. */
  readonly maxAddresses: number;
  /** Addresses that one request tries to connect to. */
  readonly maxAddressesTried: number;
  /** How long a connection is kept for the next request to the same host and address. 0 keeps none. */
  readonly idleTimeoutMs: number;
  /** Kept connections over all hosts. */
  readonly maxIdleConnections: number;
}

export const defaultGuardedHttpLimits: GuardedHttpLimits = {
  resolveTimeoutMs: 3_000,
  connectTimeoutMs: 3_000,
  answerTimeoutMs: 30_000,
  maxBodyBytes: 256 * 1024,
  maxHeaderBytes: 16 * 1024,
  maxInterimAnswers: 8,
  maxAddresses: 64,
  maxAddressesTried: 3,
  idleTimeoutMs: 4_000,
  maxIdleConnections: 64,
};

/** In code points, as a caller counts them. */
export const maxTargetUrlLength = 2_000;

/**
 * Bytes that a response may use on the wire. The framing of tiny chunks may exceed the body, but not without
 * bound. Interim responses and chunk extensions count too.
 */
export function maxWireBytes(limits: GuardedHttpLimits): number {
  return 8 * limits.maxBodyBytes + (limits.maxInterimAnswers + 2) * limits.maxHeaderBytes;
}
