/** Reads the request id, the host, the target and the idempotency key of a request. */
import { DomainError } from '#domain/errors.ts';
import { isRequestId } from '#runtime/tracing/log.ts';

/**
 * Returns the id that the client or a proxy sent, or a new UUIDv7. Ids of any other form are ignored, so that
 * foreign text reaches neither the log nor the headers sent to other services.
 */
export function requestIdOf(request: Request): string {
  const given = request.headers.get('x-request-id');
  return given !== null && isRequestId(given) ? given : Bun.randomUUIDv7();
}

/**
 * A name or an address, with an optional port. Stricter than RFC 9112 section 3.2, which allows characters
 * that no real host has, such as the comma that joins two `Host` headers.
 */
const hostForm = /^(?:\[[\da-f:.]{2,45}\]|[\w.-]{1,253})(?::\d{0,5})?$/i;

/** @throws DomainError invalid_parameter */
export function requireHost(request: Request): void {
  const host = request.headers.get('host');
  // HTTP/1.0 requests may lack a host. Bun rejects HTTP/1.1 requests that do.
  if (host === null || hostForm.test(host)) return;
  throw new DomainError(
    'invalid_parameter',
    'The header `Host` must be sent once and name one host, such as hub.example.org or 127.0.0.1:3000.',
  );
}

/**
 * The raw path and query of a request. The authority in `request.url` comes from the `Host` header, which may
 * be missing or malformed, so `request.url` is never parsed as a URL.
 */
export interface RequestTarget {
  /** Percent-encoded, from the first slash on. Empty if the target has no path, as with CONNECT. */
  readonly path: string;
  /** Without the question mark. Empty if there is none. */
  readonly query: string;
}

export function requestTargetOf({ url }: Pick<Request, 'url'>): RequestTarget {
  const start = pathStart(url);
  const mark = url.indexOf('?');
  if (mark === -1) return { path: url.slice(start), query: '' };
  return { path: url.slice(start, mark), query: url.slice(mark + 1) };
}

/** If the host does not make a valid URL, Bun returns only the target. */
function pathStart(url: string): number {
  if (url.startsWith('/')) return 0;
  const scheme = url.indexOf('://');
  const slash = scheme === -1 ? -1 : url.indexOf('/', scheme + '://'.length);
  return slash === -1 ? url.length : slash;
}

const keyHeader = 'idempotency-key';
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const keyForm = /^[^\p{Cc}]{1,200}$/u;

/**
 * The key of a request, or null.
 * @throws DomainError invalid_parameter
 */
export function idempotencyKeyOf(request: Request): string | null {
  const header = request.headers.get(keyHeader);
  if (header === null) return null;
  const key = textOf(header);
  if (keyForm.test(key)) return key;
  throw new DomainError(
    'invalid_parameter',
    'The header `Idempotency-Key` must be 1 to 200 characters long, without control characters.',
  );
}

/** Bun decodes headers as Latin-1. If the bytes are valid UTF-8, the client meant UTF-8. */
function textOf(header: string): string {
  try {
    return utf8.decode(Buffer.from(header, 'latin1'));
  } catch {
    return header;
  }
}
