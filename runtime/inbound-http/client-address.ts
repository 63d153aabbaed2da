/**
 * The address of a client. The hub believes a proxy only if the operator named it, and counts an IPv6 network
 * as one client.
 */
import { createHmac } from 'node:crypto';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Providers assign IPv6 networks of at least a /64, so one client can use any address in it. */
const ipv6NetworkBits = 64;
/** Longer than any real chain of proxies. */
const maxHops = 32;

/** Determines the client's address from the peer's address and the `X-Forwarded-For` header. */
export type ClientAddressReader = (peer: string, forwardedFor: string | null) => string;

/** @param trustedProxies CIDRs of the proxies whose `X-Forwarded-For` counts */
export function createClientAddressReader(trustedProxies: readonly string[]): ClientAddressReader {
  const trusted: readonly Range[] = trustedProxies.map((cidr) => ipaddr.parseCIDR(cidr));
  return (peer, forwardedFor) => {
    let client = parseAddress(peer);
    if (client === null) return peer;
    if (trusted.length === 0 || forwardedFor === null) return client.toString();
    // Each proxy appends its peer, so the list is read from the end for as long as the reporting proxy is
    // trusted.
    for (const claim of forwardedFor.split(',').slice(-maxHops).toReversed()) {
      if (!isWithin(client, trusted)) break;
      const claimed = parseAddress(withoutPort(claim.trim()));
      if (claimed === null) break;
      client = claimed;
    }
    return client.toString();
  };
}

/** The network an address belongs to: an IPv4 address whole, an IPv6 address by its /64. */
export function networkOf(address: string): string {
  const parsed = parseAddress(address);
  if (parsed === null || parsed.kind() === 'ipv4') return parsed?.toString() ?? address;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${ipv6NetworkBits}`).toString()}/${ipv6NetworkBits}`;
}

/**
 * Identifies a client's network where its address must not be stored. It is an HMAC under the hub's secret
 * key, since a plain hash could be reversed by trying all addresses.
 */
export function hashNetwork(secretKey: string, clientAddress: string): string {
  return createHmac('sha256', secretKey).update(networkOf(clientAddress)).digest('hex');
}

/** Whether an address is this machine's own. */
export function isLoopbackAddress(address: string): boolean {
  return parseAddress(address)?.range() === 'loopback';
}

/** Dual-stack sockets report IPv4 addresses as IPv6. They are returned as IPv4. */
function parseAddress(text: string): Address | null {
  if (!ipaddr.isValid(text)) return null;
  const withoutZone = text.split('%', 1)[0] ?? text;
  return ipaddr.process(withoutZone);
}

/** Some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
function withoutPort(claim: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(claim)?.[1] ?? /^([\d.]+):\d+$/.exec(claim)?.[1] ?? claim;
}

function isWithin(address: Address, ranges: readonly Range[]): boolean {
  return ranges.some((range) => range[0].kind() === address.kind() && address.match(range));
}
