/** Which redirect URIs a client may name, and which of them a request may use (RFC 8252, RFC 9700 section 2.1). */
import { hostNameOf, isLoopbackName } from '#runtime/inbound-http/host-names.ts';
import { redirectUriLengthMax } from './oauth-limits.ts';

/** Compared as text, so that no parser can read another host into it. */
const httpForm = /^http:\/\/(\[[0-9a-f:]+\]|[a-z0-9.-]+)(?::\d{1,5})?((?:[/?].*)?)$/;
const visibleAscii = /^[\x21-\x7e]+$/;
const schemeForm = /^[a-z][a-z0-9+.-]*:\/\//;

/** Schemes that browsers handle themselves. Any other opens the app that claims it. */
const browserSchemes: ReadonlySet<string> = new Set([
  'about:',
  'blob:',
  'chrome:',
  'chrome-extension:',
  'data:',
  'file:',
  'filesystem:',
  'ftp:',
  'http:',
  'intent:',
  'javascript:',
  'vbscript:',
  'view-source:',
  'ws:',
  'wss:',
]);

/** Browsers accept other characters, such as `;` and `*`, which have a meaning in a Content Security Policy. */
const hostForm = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/;

export function isLoopbackRedirect(uri: string): boolean {
  return loopbackPlace(uri) !== null;
}

/** What follows the host and port of a URI on this machine; null if it is on another. */
function loopbackPlace(uri: string): string | null {
  const [, host = '', place = ''] = httpForm.exec(uri) ?? [];
  return isLoopbackName(hostNameOf(host)) ? place : null;
}

/** Whether a client may name this URI: https, http on this machine, or the scheme of an app. */
export function isAllowedRedirect(uri: string): boolean {
  if (uri.length > redirectUriLengthMax || !visibleAscii.test(uri) || uri.includes('#')) return false;
  const url = URL.parse(uri);
  // Such as a port above 65535.
  if (url === null) return false;
  if (isLoopbackRedirect(uri)) return true;
  if (!schemeForm.test(uri) || url.username !== '' || url.password !== '') return false;
  if (url.protocol !== 'https:') return !browserSchemes.has(url.protocol);
  return uri.startsWith(`${url.origin}/`) && hostForm.test(url.hostname);
}

/** Whether a request may use a registered URI: it is the same, except for the name and port of this machine. */
export function matchesRedirect(registered: string, requested: string): boolean {
  if (registered === requested) return true;
  const place = loopbackPlace(registered);
  return place !== null && place === loopbackPlace(requested) && URL.canParse(requested);
}

/** What a person recognises: the host, this computer, or the scheme of an app. */
export function redirectPlace(uri: string): {
  readonly kind: 'web' | 'machine' | 'app';
  readonly name: string;
} {
  const { protocol, host } = new URL(uri);
  if (protocol === 'https:') return { kind: 'web', name: host };
  return isLoopbackRedirect(uri) ? { kind: 'machine', name: host } : { kind: 'app', name: protocol };
}

/** The source of a Content Security Policy that allows a redirect to this URI. Browsers ignore one with an IPv6 address. */
export function redirectSource(uri: string): string {
  const { protocol, origin, hostname } = new URL(uri);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && !hostname.startsWith('[') ? origin : protocol;
}

export function withParameters(uri: string, parameters: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== null) query.set(name, value);
  return `${uri}${uri.includes('?') ? '&' : '?'}${query.toString()}`;
}
