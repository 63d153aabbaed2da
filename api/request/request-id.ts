/** The id that a request's answer and its log line share. */
import { isRequestId } from '#runtime/tracing/cause.ts';

/**
 * The id a proxy gave the request, or a new UUIDv7. Only plain ids are taken over, so that a stranger's text reaches
 * neither the log nor another service's headers.
 */
export function requestIdOf(request: Request): string {
  const given = request.headers.get('x-request-id');
  return given !== null && isRequestId(given) ? given : Bun.randomUUIDv7();
}
