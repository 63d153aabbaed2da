/**
 * Whether a request comes from the operator: it has the operator key or, if none is set on a private hub, comes from
 * this machine. The API and the small servers of worker processes use it.
 */
import { isLoopbackAddress } from './client-address.ts';

/**
 * Headers that proxies add. A request with one of them came from elsewhere, whatever opened the connection.
 */
const forwardingHeaders = [
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'forwarded',
  'via',
];
const localHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;
const readingMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

type Asking = Pick<Request, 'method' | 'headers'>;

/**
 * Whether a request to a private hub comes from its own machine. A local proxy that the settings do not name connects
 * from loopback for every client, so forwarded requests do not count as local. The Host header reveals a page whose own
 * name was pointed at 127.0.0.1 (DNS rebinding). On a public hub no request counts as local.
 */
export function isLocalRequest({ headers }: Asking, peer: string): boolean {
  if (!isLoopbackAddress(peer) || forwardingHeaders.some((name) => headers.has(name))) return false;
  const host = headers.get('host');
  return host !== null && localHost.test(host);
}

/**
 * Any web page can make a browser send requests to 127.0.0.1, with a saved password. Browsers mark the origin
 * of such a write: `Sec-Fetch-Site` on https and to this machine, and `Origin` everywhere. Other programs
 * send neither. The rules are those of Go's `http.CrossOriginProtection`.
 */
export function isCrossSiteWrite({ method, headers }: Asking): boolean {
  if (readingMethods.has(method)) return false;
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site !== 'same-origin' && site !== 'none';
  const origin = headers.get('origin');
  if (origin === null) return false;
  const host = headers.get('host');
  return host === null || URL.parse(origin)?.host !== host.toLowerCase();
}

/**
 * The operator key in a request: a bearer token or the password of Basic authentication. Null if there is
 * none.
 */
export function operatorKeyOf({ headers }: Asking): string | null {
  const [, scheme, credentials] = /^(bearer|basic) +(\S+) *$/i.exec(headers.get('authorization') ?? '') ?? [];
  if (scheme === undefined || credentials === undefined) return null;
  if (scheme.toLowerCase() === 'bearer') return credentials;
  const decoded = Buffer.from(credentials, 'base64').toString();
  const colon = decoded.indexOf(':');
  return colon === -1 ? null : decoded.slice(colon + 1);
}

/**
 * The challenge for an operator: name and password in a browser, or a bearer token. Bearer needs a parameter,
 * because Chromium reads both as one challenge and rejects it if a part is empty.
 */
export function operatorChallenge(isInvalid: boolean): string {
  const realm = 'realm="Agent Hub"';
  return `Basic ${realm}, charset="UTF-8", Bearer ${realm}${isInvalid ? ', error="invalid_token"' : ''}`;
}
