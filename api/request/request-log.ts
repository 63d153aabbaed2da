/**
 * One line for each request. Reads that went well are written at `debug`: they are nearly all the traffic, and a line
 * costs more than many of them. Paths are logged as declared, since what stands in them may be unguessable on purpose.
 */
import type { DomainError } from '#domain/errors.ts';
import { type Cause, causeFields } from '#runtime/tracing/cause.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { counter, histogram, requestSeconds } from '#runtime/tracing/metrics.ts';

export interface RequestRecord {
  readonly cause: Cause;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  /** From `performance.now()`. */
  readonly startedAt: number;
  readonly error: DomainError | null;
  /** Whether strangers can cause any amount of such refusals, as no rate limit bounds them. */
  readonly unlimited: boolean;
}

const requests = counter('hub_http_requests_total', 'Requests answered.', ['method', 'route', 'status']);
const seconds = histogram(
  'hub_http_request_duration_seconds',
  'From the arrival of a request until its answer leaves; of a stream, until it begins.',
  requestSeconds,
  ['method', 'route'],
);

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counts it too, so that log and metrics tell of the same requests. */
export function logRequest(logger: Logger, record: RequestRecord): void {
  countRequest(record);
  if (isFailure(record)) {
    logger.error({ ...fieldsOf(record), err: record.error?.cause ?? record.error }, 'request failed');
  } else if (isReported(record)) {
    logger.info(fieldsOf(record), 'request');
  } else if (logger.isLevelEnabled('debug')) {
    logger.debug(fieldsOf(record), 'request');
  }
}

/** Whether the hub failed. What the operator left out, such as a database, is missing on purpose. */
function isFailure({ status, error }: RequestRecord): boolean {
  const code = error?.code;
  return status >= 500 && code !== 'database_pending' && code?.endsWith('_not_configured') !== true;
}

/** Changes, and refusals as far as a limit bounds them: nobody shall fill the log with what costs him nothing. */
function isReported({ error, method, unlimited }: RequestRecord): boolean {
  if (error === null) return method !== 'GET' && method !== 'HEAD';
  return !unlimited && error.code !== 'rate_limited';
}

function fieldsOf({
  cause,
  method,
  route,
  status,
  startedAt,
  error,
}: RequestRecord): Record<string, unknown> {
  return {
    ...causeFields(cause),
    method,
    route,
    status,
    duration_ms: Math.round((performance.now() - startedAt) * 100) / 100,
    ...(error === null ? {} : { error: error.code }),
  };
}

function countRequest({ method, route, status, startedAt }: RequestRecord): void {
  const known = methods.has(method) ? method : 'other';
  requests.inc({ method: known, route, status });
  seconds.observe({ method: known, route }, (performance.now() - startedAt) / 1000);
}
