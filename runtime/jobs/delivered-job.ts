/**
 * A job as its handler receives it: with a logger that names the job and its cause, and inside a span if
 * tracing is on.
 */
import { type Cause, causeFields, type Logger, readCause } from '../tracing/log.ts';
import type { JobEnd } from './job-metrics.ts';
import type { Span, Tracing } from '../tracing/tracing.ts';

export interface QueuedJob {
  /** The id of the job's row. */
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
}

export interface DeliveredJob extends QueuedJob {
  /**
   * The cause to pass on to work that this job starts: the original request, and the span of this delivery.
   */
  readonly cause: Cause;
  readonly logger: Logger;
}

export interface JobSurroundings {
  readonly queue: string;
  readonly logger: Logger;
  readonly tracing: Tracing | null;
}

/** @returns the job, and a function to call with its outcome */
export function deliverJob(
  queued: QueuedJob,
  { queue, logger, tracing }: JobSurroundings,
): { readonly job: DeliveredJob; readonly end: (end: JobEnd) => void } {
  const given = causeOf(queued.payload);
  const span = tracing === null ? null : startSpan(tracing, queued, queue, given);
  const cause = span === null ? given : { ...given, traceparent: span.traceparent };
  let own: Logger | undefined;
  const job: DeliveredJob = {
    ...queued,
    cause,
    // Created on first use, since most jobs log nothing.
    get logger() {
      own ??= logger.child({ job_id: queued.id, ...causeFields(cause) });
      return own;
    },
  };
  return {
    job,
    end: (end) => span?.end({ failed: end === 'failed', attributes: { 'hub.job.end': end } }),
  };
}

/** Job payloads are objects that may have a cause. Those of wake jobs are not, and have none. */
function causeOf(payload: unknown): Cause {
  return typeof payload === 'object' && payload !== null && 'cause' in payload
    ? readCause(payload.cause)
    : {};
}

/**
 * The span is a child of the request's span, not linked to it, so one trace shows how long the job waited.
 */
function startSpan(tracing: Tracing, { id, kind }: QueuedJob, queue: string, cause: Cause): Span {
  return tracing.start({
    name: `process ${queue}`,
    kind: 'consumer',
    parent: cause.traceparent,
    attributes: {
      'messaging.system': 'bullmq',
      'messaging.destination.name': queue,
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.message.id': id,
      'hub.job.kind': kind,
      ...(cause.requestId === undefined ? {} : { 'hub.request.id': cause.requestId }),
    },
  });
}
