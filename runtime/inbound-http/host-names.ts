/** Host names in headers and URLs, and which of them mean this machine. */
import { isIP } from 'node:net';

/** The name or address in a `Host` header, in lower case, without port and brackets. Empty if it is malformed. */
export function hostNameOf(header: string): string {
  const [, bracketed, plain] = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::\d*)?$/i.exec(header) ?? [];
  return (bracketed ?? plain ?? '').toLowerCase();
}

/** The name or address in a URL, likewise. Null if it is no URL with a host. */
export function hostNameInUrl(url: string): string | null {
  const hostname = URL.parse(url)?.hostname ?? '';
  return hostname === '' ? null : hostname.replace(/^\[|\]$/g, '').toLowerCase();
}

/** Whether a name always means this machine (RFC 6761). Anything that is not certainly loopback counts as not. */
export function isLoopbackName(name: string): boolean {
  if (isIP(name) === 4) return name.startsWith('127.');
  const lower = name.toLowerCase();
  return lower === 'localhost' || lower.endsWith('.localhost') || /^[0:]*:0*1$/.test(lower);
}

/**
 * The URL with the same name for every URL of this machine, so that two of them can be compared. Any other text is
 * returned as it is.
 */
export function withOneLoopbackName(text: string): string {
  const url = URL.parse(text);
  if (url === null || !isLoopbackName(hostNameInUrl(text) ?? '')) return text;
  url.hostname = '127.0.0.1';
  return url.href;
}

/**
 * BASE_URL, with the name that the request uses for this machine. Any other name or port in `Host` changes nothing, nor
 * does any name if BASE_URL is not on this machine: whoever sends the request chooses `Host`.
 */
export function askedBaseUrl(baseUrl: string, { headers }: Pick<Request, 'headers'>): string {
  const host = headers.get('host');
  // Most requests.
  if (host === null || baseUrl.endsWith(`//${host}`)) return baseUrl;
  if (lastOwn.baseUrl !== baseUrl) lastOwn = { baseUrl, url: loopbackUrlOf(baseUrl) };
  const own = lastOwn.url;
  if (own === null || !isLoopbackName(hostNameOf(host))) return baseUrl;
  // Most others name no port. A URL takes longer to parse than all else here.
  if (own.port !== '' && !host.endsWith(own.port)) return baseUrl;
  const asked = URL.parse(`${own.protocol}//${host}${own.pathname}`);
  if (asked === null || asked.port !== own.port) return baseUrl;
  return asked.href.replace(/\/$/, '');
}

/** A process has one BASE_URL, and every request is compared with it. */
let lastOwn: { readonly baseUrl: string; readonly url: URL | null } = { baseUrl: '', url: null };

function loopbackUrlOf(text: string): URL | null {
  return isLoopbackName(hostNameInUrl(text) ?? '') ? new URL(text) : null;
}
