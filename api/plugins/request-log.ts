/**
 * One line for each request. Reads that went well are written at `debug`: they are nearly all the traffic, and a line
 * costs more than many of them. Paths are logged as declared, since what stands in them may be unguessable on purpose.
 */
import type { DomainError } from '#domain/errors.ts';
import type { Logger } from '#runtime/log.ts';

export interface RequestRecord {
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  /** From `performance.now()`. */
  readonly startedAt: number;
  readonly refusal: DomainError | null;
  /** True for what no endpoint took, of which strangers can cause any amount. */
  readonly unrouted?: boolean;
}

export function logRequest(logger: Logger, record: RequestRecord): void {
  const { status, refusal, method, unrouted = false } = record;
  if (status >= 500) {
    logger.error({ ...fieldsOf(record), err: refusal?.cause ?? refusal }, 'request failed');
  } else if (!unrouted && (refusal !== null || (method !== 'GET' && method !== 'HEAD'))) {
    logger.info(fieldsOf(record), 'request');
  } else if (logger.isLevelEnabled('debug')) {
    logger.debug(fieldsOf(record), 'request');
  }
}

function fieldsOf({
  requestId,
  method,
  route,
  status,
  startedAt,
  refusal,
}: RequestRecord): Record<string, unknown> {
  return {
    request_id: requestId,
    method,
    route,
    status,
    duration_ms: Math.round((performance.now() - startedAt) * 100) / 100,
    ...(refusal === null ? {} : { error: refusal.code }),
  };
}
