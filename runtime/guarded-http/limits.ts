/** Every bound of the guarded client in one place; the numbers of `decisions.md` section 5 where it names them. */

/** What one request may take. All are upper bounds; a caller may lower or raise each. */
export interface GuardedHttpLimits {
  /** For looking up the name of the host. */
  readonly resolveTimeoutMs: number;
  /** For TCP and TLS together, over all addresses tried for one request. */
  readonly connectTimeoutMs: number;
  /** From the connection being ready to the last byte of the answer, however steadily bytes trickle in. */
  readonly answerTimeoutMs: number;
  /** For the body of the answer. */
  readonly maxBodyBytes: number;
  /** For the status line and headers of the answer; as much again for its trailers. */
  readonly maxHeaderBytes: number;
  /** Interim (1xx) answers put up with before the real one. */
  readonly maxInterimAnswers: number;
  /** How many addresses a name may have; a name with more is refused rather than checked for ever. */
  readonly maxAddresses: number;
  /** How many of them one request tries to connect to. */
  readonly maxAddressesTried: number;
  /** How long a connection is kept for the next request to the same host and address; 0 keeps none. */
  readonly idleTimeoutMs: number;
  /** Kept connections, over all hosts. */
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
 * How many bytes an answer may take on the wire: the framing of a chunked body may outweigh tiny chunks, but not without
 * end. Interim answers and chunk extensions are paid from the same purse.
 */
export function maxWireBytes(limits: GuardedHttpLimits): number {
  return 8 * limits.maxBodyBytes + (limits.maxInterimAnswers + 2) * limits.maxHeaderBytes;
}
