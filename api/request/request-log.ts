/**
 * One line for each request. Reads that went well are written at `debug`: they are nearly all the traffic, and a line
 * costs more than many of them. Paths are logged as declared, since what stands in them may be unguessable on purpose.
 */
import type { DomainError } from '#domain/errors.ts';
import { type Cause, causeFields } from '#runtime/tracing/cause.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { countRequest } from './request-metrics.ts';

export interface RequestRecord {
  readonly cause: Cause;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  /** From `performance.now()`. */
  readonly startedAt: number;
  readonly refusal: DomainError | null;
  /** Whether strangers can cause any amount of such refusals, as no rate limit bounds them. */
  readonly unlimited: boolean;
}

/** Counts it too, so that log and metrics tell of the same requests. */
export function logRequest(logger: Logger, record: RequestRecord): void {
  countRequest(record);
  if (isFailure(record)) {
    logger.error({ ...fieldsOf(record), err: record.refusal?.cause ?? record.refusal }, 'request failed');
  } else if (isTold(record)) {
    logger.info(fieldsOf(record), 'request');
  } else if (logger.isLevelEnabled('debug')) {
    logger.debug(fieldsOf(record), 'request');
  }
}

/** Whether the hub failed. What the operator left out, such as a database, is missing on purpose. */
function isFailure({ status, refusal }: RequestRecord): boolean {
  const code = refusal?.code;
  return status >= 500 && code !== 'database_pending' && code?.endsWith('_not_configured') !== true;
}

/** Changes, and refusals as far as a limit bounds them: nobody shall fill the log with what costs him nothing. */
function isTold({ refusal, method, unlimited }: RequestRecord): boolean {
  if (refusal === null) return method !== 'GET' && method !== 'HEAD';
  return !unlimited && refusal.code !== 'rate_limited';
}

function fieldsOf({
  cause,
  method,
  route,
  status,
  startedAt,
  refusal,
}: RequestRecord): Record<string, unknown> {
  return {
    ...causeFields(cause),
    method,
    route,
    status,
    duration_ms: Math.round((performance.now() - startedAt) * 100) / 100,
    ...(refusal === null ? {} : { error: refusal.code }),
  };
}
