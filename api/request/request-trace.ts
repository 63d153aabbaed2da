/**
 * The span of a request, as OpenTelemetry's conventions for HTTP servers have it. It tells the route as declared and not the
 * path, since what stands in a path may be unguessable on purpose, and nothing else that the client has sent.
 */
import type { DomainError } from '#domain/errors.ts';
import { isTraceparent } from '#runtime/tracing/cause.ts';
import type { Span, Tracing } from '#runtime/tracing/tracing.ts';
import type { Endpoint } from '../endpoint.ts';

export type StartRequestSpan = (request: Request, requestId: string) => Span;

/** @returns null where nothing is traced; what operators look at is not, as probes and scrapes would be nearly all of it */
export function createRequestTrace(endpoint: Endpoint, tracing: Tracing | null): StartRequestSpan | null {
  if (tracing === null || endpoint.auth === 'operator') return null;
  const { path: route } = endpoint;
  return (request, requestId) => {
    const { method } = request;
    const given = request.headers.get('traceparent');
    return tracing.start({
      name: `${method} ${route}`,
      kind: 'server',
      // `tracestate` is not taken over: it is free text, and none of it is for the hub.
      parent: given !== null && isTraceparent(given) ? given : undefined,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        // Whether there is a proxy with TLS in front, only that proxy knows.
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
