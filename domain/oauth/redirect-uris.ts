/** Which redirect URIs a client may name, and which of them a request may use (RFC 8252, RFC 9700 section 2.1). */
import { hostNameOf, isLoopbackName } from '#runtime/inbound-http/host-names.ts';
import { redirectUriLengthMax } from './oauth-limits.ts';

/** Compared as text, so that no parser can read another host into it. */
const httpForm = /^http:\/\/(\[[0-9a-f:]+\]|[a-z0-9.-]+)(?::\d{1,5})?((?:[/?].*)?)$/i;
const httpsForm = /^https:\/\/([^/?]+)((?:[/?].*)?)$/i;
const visibleAscii = /^[\x21-\x7e]+$/;

/** The scheme of an app under a domain of its maker (RFC 8252 section 7.1), with any number of slashes. */
const privateUseForm = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\//i;

/** Schemes without a dot, which known MCP hosts have claimed. Others may open what no host is: `ms-msdt`, `tel`. */
const hostSchemes: ReadonlySet<string> = new Set([
  'claude:',
  'cline:',
  'cursor:',
  'goose:',
  'jetbrains:',
  'librechat:',
  'lmstudio:',
  'raycast:',
  'vscode:',
  'vscode-insiders:',
  'vscodium:',
  'warp:',
  'windsurf:',
  'zed:',
]);

/** Browsers accept other characters, such as `;` and `*`, which have a meaning in a Content Security Policy. */
const hostForm = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/;

export function isLoopbackRedirect(uri: string): boolean {
  return loopbackPlace(uri) !== null;
}

/** What follows the host and port of a URI on this machine; null if it is on another. */
function loopbackPlace(uri: string): string | null {
  const [, host = '', place = ''] = httpForm.exec(uri) ?? [];
  return isLoopbackName(hostNameOf(host.toLowerCase())) ? withPath(place) : null;
}

function withPath(place: string): string {
  return place.startsWith('/') ? place : `/${place}`;
}

/** The host, and what follows it as it was written. */
function placeOnWeb(uri: string): string | null {
  const [, host = '', place = ''] = httpsForm.exec(uri) ?? [];
  return host === '' ? null : `${host.toLowerCase().replace(/:443$/, '')}${withPath(place)}`;
}

/** Whether a client may name this URI: https, http on this machine, or the scheme of an app. */
export function isAllowedRedirect(uri: string): boolean {
  if (uri.length > redirectUriLengthMax || !visibleAscii.test(uri) || uri.includes('#')) return false;
  const url = URL.parse(uri);
  // Such as a port above 65535.
  if (url === null) return false;
  if (isLoopbackRedirect(uri)) return true;
  if (url.username !== '' || url.password !== '') return false;
  if (url.protocol !== 'https:') return privateUseForm.test(uri) || hostSchemes.has(url.protocol);
  return placeOnWeb(uri)?.startsWith(`${url.host}/`) === true && hostForm.test(url.hostname);
}

/**
 * Whether a request may use a registered URI: it is the same, except for the name and port of this machine, capitals in
 * scheme and host, and the slash of an empty path.
 */
export function matchesRedirect(registered: string, requested: string): boolean {
  if (registered === requested) return true;
  const place = loopbackPlace(registered);
  if (place !== null) return place === loopbackPlace(requested) && URL.canParse(requested);
  const onWeb = placeOnWeb(registered);
  return onWeb !== null && onWeb === placeOnWeb(requested);
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
