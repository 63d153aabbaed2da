/**
 * What a piece of work goes back to: the request that asked for it, and the span that it is a part of. It travels with the
 * work, in the row of a job and in a command to an actor, so that a worker's log and spans can name both.
 */

export interface Cause {
  /** Of the request, as its answer and its line in the log have it. */
  readonly requestId?: string;
  /** The W3C `traceparent` of the span; there is none where nothing is traced. */
  readonly traceparent?: string;
}

const requestIdForm = /^[0-9A-Za-z-]{16,64}$/;
/** W3C Trace Context, section 3.2: version 00, a trace id and a span id that are not all zeros, and the flags. */
const traceparentForm = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

export function isRequestId(text: string): boolean {
  return requestIdForm.test(text);
}

export function isTraceparent(text: string): boolean {
  return traceparentForm.test(text);
}

/** Reads a cause that came back from a store or over Redis; what is no cause, or a part of one that is none, is left out. */
export function readCause(value: unknown): Cause {
  if (typeof value !== 'object' || value === null) return {};
  const { requestId, traceparent } = value as Record<string, unknown>;
  return {
    ...(typeof requestId === 'string' && isRequestId(requestId) ? { requestId } : {}),
    ...(typeof traceparent === 'string' && isTraceparent(traceparent) ? { traceparent } : {}),
  };
}

/** The fields by which a line in the log names what it goes back to. */
export function causeFields({ requestId, traceparent }: Cause): Readonly<Record<string, string>> {
  return {
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(traceparent === undefined ? {} : { trace_id: traceIdOf(traceparent) }),
  };
}

function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, 35);
}
