/** The id that a request's answer and its log line share. */

const HEADER_FORM = /^[0-9A-Za-z-]{16,64}$/;

/**
 * The id a proxy gave the request, or a new UUIDv7. Only plain ids are taken over, so that a stranger's text reaches
 * neither the log nor another service's headers.
 */
export function requestIdOf(request: Request): string {
  const given = request.headers.get('x-request-id');
  return given !== null && HEADER_FORM.test(given) ? given : Bun.randomUUIDv7();
}
