/**
 * Logs, counts and traces every request. Successful reads are logged at `debug`: they are nearly all of the traffic,
 * and a log line costs more than the read. Routes are logged instead of paths, because paths may contain unguessable ids.
 */
import type { DomainError } from '#domain/errors.ts';
import { type Cause, causeFields, isTraceparent, type Logger, logPlainly } from '#runtime/tracing/log.ts';
import { requestSeconds, seriesCounter, seriesHistogram } from '#runtime/tracing/metrics.ts';
import type { Span, Tracing } from '#runtime/tracing/tracing.ts';
import type { Endpoint } from '../endpoint.ts';

interface RequestRecord {
  readonly cause: Cause;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  /** A `performance.now()` timestamp. */
  readonly startedAt: number;
  readonly error: DomainError | null;
  /** True if no rate limit bounds how often strangers can cause this error. */
  readonly unlimited: boolean;
}

const requests = seriesCounter<'method' | 'route' | 'status'>(
  'hub_http_requests_total',
  'Requests answered.',
);
const seconds = seriesHistogram<'method' | 'route'>(
  'hub_http_request_duration_seconds',
  'Time from the arrival of a request to its response; for a stream, to its start.',
  requestSeconds,
);

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Also counts the request, so that the log and the metrics agree. */
export function logRequest(logger: Logger, record: RequestRecord): void {
  countRequest(record);
  if (isFailure(record)) {
    logger.error({ ...fieldsOf(record), err: record.error?.cause ?? record.error }, 'request failed');
  } else if (isReported(record)) {
    logPlainly(logger, fieldsOf(record), 'request');
  } else if (logger.isLevelEnabled('debug')) {
    logger.debug(fieldsOf(record), 'request');
  }
}

/** Responses of a hub that its operator froze, or that still waits for its database. */
const intended: readonly (string | undefined)[] = ['hub_frozen', 'database_pending'];

/** Whether the hub itself failed. A dependency that the operator chose to leave out is not a failure. */
function isFailure({ status, error }: RequestRecord): boolean {
  const code = error?.code;
  return status >= 500 && !intended.includes(code) && code?.endsWith('_not_configured') !== true;
}

/**
 * Logs changes, and errors only where a rate limit bounds them, so that strangers cannot fill the log for
 * free.
 */
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
}: RequestRecord): Record<string, string | number> {
  return {
    ...causeFields(cause),
    method,
    route,
    status,
    duration_ms: Math.round((performance.now() - startedAt) * 100) / 100,
    ...(error === null ? {} : { error: error.code }),
  };
}

/** The series of a route and method. */
interface RouteSeries {
  readonly observe: (seconds: number) => void;
  readonly countByStatus: Map<number, () => void>;
}

/** By method, then route. Routes are declared, and unknown methods share a name, so it is bounded. */
const seriesByMethod = new Map<string, Map<string, RouteSeries>>();

function countRequest({ method, route, status, startedAt }: RequestRecord): void {
  const known = methods.has(method) ? method : 'other';
  const { observe, countByStatus } = seriesOf(known, route);
  countByStatus.getOrInsertComputed(status, () => requests({ method: known, route, status }))();
  observe((performance.now() - startedAt) / 1000);
}

function seriesOf(method: string, route: string): RouteSeries {
  return seriesByMethod
    .getOrInsertComputed(method, () => new Map<string, RouteSeries>())
    .getOrInsertComputed(route, () => ({ observe: seconds({ method, route }), countByStatus: new Map() }));
}

type StartRequestSpan = (request: Request, method: string, requestId: string) => Span;

/**
 * The span of a request, following OpenTelemetry's conventions for HTTP servers. It has nothing that the client sent but
 * the id and the parent.
 *
 * @returns null if tracing is off, and for operator endpoints, where probes and scrapes would drown
 * everything else
 */
export function createRequestTrace(endpoint: Endpoint, tracing: Tracing | null): StartRequestSpan | null {
  if (tracing === null || endpoint.auth === 'operator') return null;
  const { path: route } = endpoint;
  return (request, method, requestId) => {
    const given = request.headers.get('traceparent');
    return tracing.start({
      name: `${method} ${route}`,
      kind: 'server',
      // `tracestate` is ignored: it is free text that the hub does not use.
      parent: given !== null && isTraceparent(given) ? given : undefined,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        // The hub itself speaks HTTP only; a proxy in front may terminate TLS.
        'url.scheme': 'http',
        'hub.request.id': requestId,
      },
    });
  };
}

export function endRequestSpan(span: Span, status: number, error: DomainError | null): void {
  const failed = status >= 500;
  span.end({
    failed,
    attributes: {
      'http.response.status_code': status,
      ...(error === null ? {} : { 'hub.error.code': error.code }),
      ...(failed ? { 'error.type': String(status) } : {}),
    },
  });
}
