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
