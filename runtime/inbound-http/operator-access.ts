/**
 * Whether a request comes from who runs the hub (decisions.md section 9): with the operator key, or, where none is set,
 * from this machine itself. It is asked by the API and by the small servers of worker processes.
 */
import ipaddr from 'ipaddr.js';
import { isLoopbackAddress } from './client-address.ts';

/** What a proxy adds. A request that carries one of these came from elsewhere, whoever opened the connection. */
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
 * A proxy on this machine connects from loopback for all the world, so what it forwards does not count as local, and
 * neither does anything from a proxy that the operator has named. A page whose own name was pointed at 127.0.0.1
 * (DNS rebinding) is told by the host that its requests name.
 *
 * @param trustedProxies CIDRs of TRUSTED_PROXIES
 */
export function createIsLocal(trustedProxies: readonly string[]): (request: Asking, peer: string) => boolean {
  const proxies = trustedProxies.map((cidr) => ipaddr.parseCIDR(cidr));
  return ({ headers }, peer) => {
    const forwarded = forwardingHeaders.some((name) => headers.has(name));
    if (!isLoopbackAddress(peer) || isProxy(peer, proxies) || forwarded) return false;
    const host = headers.get('host');
    return host !== null && localHost.test(host);
  };
}

function isProxy(peer: string, proxies: readonly [ipaddr.IPv4 | ipaddr.IPv6, number][]): boolean {
  const address = ipaddr.process(peer);
  return proxies.some((range) => range[0].kind() === address.kind() && address.match(range));
}

/**
 * Browsers send the password that they know, and reach 127.0.0.1, for any page that asks them to. They also say where a
 * request that writes comes from: `Sec-Fetch-Site` to https and to this machine, and `Origin` everywhere. Other programs
 * send neither (the rules are those of Go's `http.CrossOriginProtection`).
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

/** The key that a request brings, as a bearer or as the password of Basic authentication; null when it brings none. */
export function operatorKeyOf({ headers }: Asking): string | null {
  const [, scheme, credentials] = /^(bearer|basic) +(\S+) *$/i.exec(headers.get('authorization') ?? '') ?? [];
  if (scheme === undefined || credentials === undefined) return null;
  if (scheme.toLowerCase() === 'bearer') return credentials;
  const decoded = Buffer.from(credentials, 'base64').toString();
  const colon = decoded.indexOf(':');
  return colon === -1 ? null : decoded.slice(colon + 1);
}

/**
 * What an operator is asked for: name and password in a browser, or a bearer. Bearer needs a parameter, as Chromium takes
 * the two for one challenge and throws it away if one of its words is none.
 */
export function operatorChallenge(isInvalid: boolean): string {
  const realm = 'realm="Agent Hub"';
  return `Basic ${realm}, charset="UTF-8", Bearer ${realm}${isInvalid ? ', error="invalid_token"' : ''}`;
}
