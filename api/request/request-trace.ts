/**
 * The span of a request, following OpenTelemetry's conventions for HTTP servers. It has the route instead of
 * the path, which may contain unguessable ids, and nothing else that the client sent.
 */
import type { DomainError } from '#domain/errors.ts';
import { isTraceparent } from '#runtime/tracing/cause.ts';
import type { Span, Tracing } from '#runtime/tracing/tracing.ts';
import type { Endpoint } from '../endpoint.ts';

export type StartRequestSpan = (request: Request, method: string, requestId: string) => Span;

/**
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
