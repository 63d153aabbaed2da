/**
 * The address of a client, and the networks it is counted for. The hub believes a proxy only if the operator named it.
 */
import { createHmac } from 'node:crypto';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/**
 * Providers assign IPv6 networks of a /64 to a /48, and one client can use any address in its network. The narrowest
 * comes first.
 */
const ipv6NetworkBits = [64, 56, 48] as const;
const limitsPerWidening = 4;
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

/**
 * The networks an address belongs to, the narrowest first: an IPv4 address is its own; an IPv6 address is in a /64, a /56
 * and a /48.
 */
export function networksOf(address: string): readonly string[] {
  const parsed = parseAddress(address);
  if (parsed === null || parsed.kind() === 'ipv4') return [parsed?.toString() ?? address];
  return ipv6NetworkBits.map(
    (bits) => `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${bits}`).toString()}/${bits}`,
  );
}

/**
 * Identifies a client's network where its address must not be stored: an HMAC under the hub's secret key, since a plain
 * hash could be reversed by trying all addresses. For IPv6 it has three parts, the widest network first, separated by
 * slashes.
 */
export function hashNetwork(secretKey: string, clientAddress: string): string {
  const hash = (network: string): string => createHmac('sha256', secretKey).update(network).digest('hex');
  return networksOf(clientAddress).toReversed().map(hash).join('/');
}

/** A network with how many times the limit of a single client it gets. */
export interface CountedNetwork {
  readonly network: string;
  readonly times: number;
}

/**
 * The networks to count a client against, the narrowest first, from its hashed network. A customer of a provider gets a
 * /56 or a /48, with hundreds or thousands of /64, so wider networks have limits too, but higher ones, since they may
 * hold several clients.
 */
export function countedNetworks(hashedNetwork: string): readonly CountedNetwork[] {
  const parts = hashedNetwork.split('/');
  return parts.map((_, index) => ({
    network: parts.slice(0, parts.length - index).join('/'),
    times: limitsPerWidening ** index,
  }));
}

/**
 * The network that a client's fair share is counted for, from its hashed network. As with limits, a /56 counts for up to
 * four networks, and a /48 for up to sixteen.
 */
export function shareNetwork(hashedNetwork: string): string {
  const [widest = '', ...narrower] = hashedNetwork.split('/');
  const groups = narrower.map((part) => String(Number.parseInt(part.slice(0, 8), 16) % limitsPerWidening));
  return [widest, ...groups].join('/');
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
