/**
 * The cause of a piece of work: the request that started it, and the span it belongs to. It travels in the
 * row of a job and in a command to an actor, so that a worker's log lines and spans can name both.
 */

export interface Cause {
  /** The request's id, as in its response and log line. */
  readonly requestId?: string;
  /** The W3C `traceparent` of the span. Absent if nothing is traced. */
  readonly traceparent?: string;
}

const requestIdForm = /^[0-9A-Za-z-]{16,64}$/;
/**
 * W3C Trace Context, section 3.2: version 00, a trace id and a span id that are not all zeros, and the flags.
 */
const traceparentForm = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

export function isRequestId(text: string): boolean {
  return requestIdForm.test(text);
}

export function isTraceparent(text: string): boolean {
  return traceparentForm.test(text);
}

/** Reads a cause from a store or from Redis. Skips invalid parts. */
export function readCause(value: unknown): Cause {
  if (typeof value !== 'object' || value === null) return {};
  const { requestId, traceparent } = value as Record<string, unknown>;
  return {
    ...(typeof requestId === 'string' && isRequestId(requestId) ? { requestId } : {}),
    ...(typeof traceparent === 'string' && isTraceparent(traceparent) ? { traceparent } : {}),
  };
}

/** The log fields that name the cause. */
export function causeFields({ requestId, traceparent }: Cause): Readonly<Record<string, string>> {
  return {
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(traceparent === undefined ? {} : { trace_id: traceIdOf(traceparent) }),
  };
}

function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, 35);
}
