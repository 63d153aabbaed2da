/** What every request carries in its head: an id, a host and a target. */
import { DomainError } from '#domain/errors.ts';
import { isRequestId } from '#runtime/tracing/cause.ts';

/**
 * The id a proxy gave the request, or a new UUIDv7. Only plain ids are taken over, so that a stranger's text reaches
 * neither the log nor another service's headers.
 */
export function requestIdOf(request: Request): string {
  const given = request.headers.get('x-request-id');
  return given !== null && isRequestId(given) ? given : Bun.randomUUIDv7();
}

/**
 * A name or an address, with or without a port. The RFC would let more characters pass that no host has; among them is
 * the comma, by which two `Host` lines come as one.
 */
const hostForm = /^(?:\[[\da-f:.]{2,45}\]|[\w.-]{1,253})(?::\d{0,5})?$/i;

/** @throws DomainError invalid_parameter */
export function requireHost(request: Request): void {
  const host = request.headers.get('host');
  // HTTP/1.0 has none; where HTTP/1.1 has none, the request does not come this far.
  if (host === null || hostForm.test(host)) return;
  throw new DomainError(
    'invalid_parameter',
    'The header `Host` must be given once and name one host, such as hub.example.org or 127.0.0.1:3000.',
  );
}

/**
 * The path and query that a request names, as they came. What stands before them comes from the `Host` header, which may
 * be missing or no host at all, so that `request.url` is not always a URL and is never parsed as one.
 */
export interface RequestTarget {
  /** From the first slash on, percent-encoded; empty for what names no path, such as the target of CONNECT. */
  readonly path: string;
  /** Without the question mark; empty when there is none. */
  readonly query: string;
}

export function requestTargetOf({ url }: Pick<Request, 'url'>): RequestTarget {
  const start = pathStart(url);
  const mark = url.indexOf('?');
  if (mark === -1) return { path: url.slice(start), query: '' };
  return { path: url.slice(start, mark), query: url.slice(mark + 1) };
}

/** Where the host makes no URL, Bun gives the target alone. */
function pathStart(url: string): number {
  if (url.startsWith('/')) return 0;
  const scheme = url.indexOf('://');
  const slash = scheme === -1 ? -1 : url.indexOf('/', scheme + '://'.length);
  return slash === -1 ? url.length : slash;
}
