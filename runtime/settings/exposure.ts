/**
 * Decides whether a hub is private or public, once, from every setting that says who can reach it. The defaults of rate
 * limits, eval targets and operator pages follow from the decision.
 */
import { isIP } from 'node:net';

interface Reach {
  readonly host: string;
  readonly baseUrl: string;
  readonly trustedProxies: readonly string[];
}

/**
 * Private means that only programs on this machine reach the hub. A proxy in front of it, or an address elsewhere,
 * makes it public, even if the hub itself listens on loopback.
 */
export function isPublicHub({ host, baseUrl, trustedProxies }: Reach): boolean {
  const hostOfBaseUrl = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '');
  return !isLoopbackHost(host) || !isLoopbackHost(hostOfBaseUrl) || trustedProxies.length > 0;
}

/** Anything that is not certainly loopback counts as not. */
function isLoopbackHost(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith('127.');
  return host.toLowerCase() === 'localhost' || /^[0:]*:0*1$/.test(host);
}
