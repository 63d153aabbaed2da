/**
 * Whether a request comes from the operator, which only the operator key shows. The API and the small servers of worker
 * processes use it.
 */
import { isLoopbackAddress } from './client-address.ts';
import { hostNameOf, isLoopbackName } from './host-names.ts';
import { type OwnNames, signOfProxy } from './proxy-watch.ts';

const readingMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

type Asking = Pick<Request, 'method' | 'headers'>;

/**
 * Whether a request looks as if a program on this machine had sent it. A proxy may hide that it is one, so this grants
 * no more than the bare status of `/livez` and `/readyz`.
 */
export function looksLocal(request: Asking, peer: string, own: OwnNames): boolean {
  const host = request.headers.get('host') ?? '';
  return isLoopbackAddress(peer) && isLoopbackName(hostNameOf(host)) && signOfProxy(request, own) === null;
}

/** Whether a request claims to come from an operator. */
export function hasCredentials({ headers }: Asking): boolean {
  return headers.has('authorization') || headers.has('cookie');
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
