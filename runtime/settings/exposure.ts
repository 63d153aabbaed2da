/**
 * Decides whether a hub is private or public, once, from every setting that says who can reach it. The defaults of rate
 * limits, eval targets and operator pages follow from the decision.
 */
import { hostNameInUrl, isLoopbackName } from '../inbound-http/host-names.ts';

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
  const hostOfBaseUrl = hostNameInUrl(baseUrl) ?? '';
  return !isLoopbackName(host) || !isLoopbackName(hostOfBaseUrl) || trustedProxies.length > 0;
}
