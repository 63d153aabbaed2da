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
