/** A job as its handler gets it: with a log that names it and what it goes back to, within a span where there are spans. */
import { type Cause, causeFields, readCause } from '../tracing/cause.ts';
import type { JobEnd } from './job-metrics.ts';
import type { Logger } from '../tracing/log.ts';
import type { Span, Tracing } from '../tracing/tracing.ts';

export interface DeliveredJob {
  /** The id of its row. */
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
  /** What work that the job causes goes back to: the request that the job goes back to, and the span of this delivery. */
  readonly cause: Cause;
  /** For lines about the job. */
  readonly logger: Logger;
}

export interface JobSurroundings {
  readonly queue: string;
  readonly logger: Logger;
  readonly tracing: Tracing | null;
}

export interface QueuedJob {
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
}

/** @returns the job, and what is to be told of its end */
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
    // A logger is made when there is something to say, which of most jobs there is not.
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

/** Payloads are objects with a cause where there is one; those of wakes are not, and nothing asked for them. */
function causeOf(payload: unknown): Cause {
  return typeof payload === 'object' && payload !== null && 'cause' in payload
    ? readCause(payload.cause)
    : {};
}

/** A child of the request's span, and not a link, so that one trace shows how long the job has waited. */
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
