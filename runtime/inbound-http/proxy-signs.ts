/**
 * Signs that a request came through a proxy. A proxy on the same machine connects from loopback for every client, so
 * such a request may come from anywhere.
 */
import { hostNameInUrl, isLoopbackName } from './host-names.ts';

/** Headers that proxies add. */
const forwardingHeaders = [
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-forwarded-server',
  'x-forwarded-scheme',
  'x-forwarded-ssl',
  'x-forwarded-prefix',
  'x-forwarded-by',
  'x-real-ip',
  'forwarded',
  'via',
] as const;

export interface OwnNames {
  /** The host in BASE_URL. */
  readonly baseUrl: string;
  /** Origins whose pages may call the API, or `*`. */
  readonly corsOrigins: readonly string[];
}

type RequestHead = Pick<Request, 'headers' | 'method'>;

/** @returns the sign, for a message; null if the request has none */
export function signOfProxy({ headers, method }: RequestHead, own: OwnNames): string | null {
  const forwarding = forwardingHeaders.find((name) => headers.has(name));
  if (forwarding !== undefined) return `the header ${forwarding}`;
  if (!headers.has('host')) return 'HTTP/1.0';
  if (isFromNginx({ headers, method })) return 'HTTP/1.0 as nginx sends it';
  return originOfOthers(headers, own);
}

/**
 * The server does not report the HTTP version. By default, nginx requests HTTP/1.0 and puts `Host` and
 * `Connection: close` before the headers of the client. Clients that close their connections write them later or in
 * another order, so the first two headers give nginx away. `toJSON` keeps the order; iteration would sort. Node begins
 * like that too in two cases that can do no harm: a HEAD request of its fetch, and, before version 19, a request without
 * any other header.
 */
function isFromNginx({ headers, method }: RequestHead): boolean {
  if (method === 'HEAD' || headers.get('connection') !== 'close') return false;
  const [first, second, ...more] = Object.keys(headers.toJSON());
  return first === 'host' && second === 'connection' && more.length > 0;
}

/**
 * A page that this hub's address would not show. Browsers send `null` for pages without an address, and other schemes
 * than http and https for pages of their extensions, which no proxy serves. For a page of another site they also send
 * `cross-site`, which they never do for the hub's own pages behind a proxy.
 */
function originOfOthers(headers: Headers, { baseUrl, corsOrigins }: OwnNames): string | null {
  if (headers.get('sec-fetch-site') === 'cross-site') return null;
  for (const name of ['origin', 'referer'] as const) {
    const given = headers.get(name);
    if (given === null) continue;
    const url = URL.parse(given);
    if (url === null || !/^https?:$/.test(url.protocol)) continue;
    const host = hostNameInUrl(given);
    if (host === null || isLoopbackName(host) || host === hostNameInUrl(baseUrl)) continue;
    if (corsOrigins.includes('*') || corsOrigins.includes(url.origin)) continue;
    return `an ${name === 'origin' ? 'Origin' : 'address in Referer'} of another host`;
  }
  return null;
}
