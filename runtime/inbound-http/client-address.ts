/**
 * Who a request comes from, as far as an address can tell. What a proxy claims is believed only of proxies the
 * operator named, and a client that holds a whole IPv6 network counts as one.
 */
import { createHmac } from 'node:crypto';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** IPv6 networks are handed out by /64 at the least (decisions.md section 7). */
const ipv6NetworkBits = 64;
/** A longer chain of proxies than anyone has. */
const maxHops = 32;

/** Tells the client's address from the peer's and the `X-Forwarded-For` header. */
export type ClientAddressReader = (peer: string, forwardedFor: string | null) => string;

/** @param trustedProxies CIDRs of the proxies whose `X-Forwarded-For` counts */
export function createClientAddressReader(trustedProxies: readonly string[]): ClientAddressReader {
  const trusted: readonly Range[] = trustedProxies.map((cidr) => ipaddr.parseCIDR(cidr));
  return (peer, forwardedFor) => {
    let client = parseAddress(peer);
    if (client === null) return peer;
    if (trusted.length === 0 || forwardedFor === null) return client.toString();
    // Each proxy appends who it was called by, so the list is read from its end for as long as the teller is trusted.
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
 * Stands for a client's network where its address must not be kept. It is an HMAC under the hub's secret key, because
 * without a key anybody could try all addresses.
 */
export function hashNetwork(secretKey: string, clientAddress: string): string {
  return createHmac('sha256', secretKey).update(networkOf(clientAddress)).digest('hex');
}

/** Whether an address is this machine's own. */
export function isLoopbackAddress(address: string): boolean {
  return parseAddress(address)?.range() === 'loopback';
}

/** IPv4 addresses within IPv6, as dual-stack sockets report them, come out as IPv4. */
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
