/**
 * Decides which IP addresses the hub may connect to: public unicast, plus the operator's exceptions. It
 * denies every address that could lead a stranger into the hub's own network, in any notation.
 */
import { isIP } from 'node:net';

import ipaddr from 'ipaddr.js';

import type { OwnAddresses } from './own-addresses.ts';

export interface AddressPolicy {
  /**
   * False for anything but the plain text of one permitted IP address. Zone ids and short forms are denied
   * too.
   *
   * @param name the host name that resolved to the address, if there was one
   */
  permits(address: string, name?: string): boolean;
  /** False for a host name that is known to mean a denied address. Makes no lookup. */
  permitsName(name: string): boolean;
  /** Brings what `permits` knows about this machine up to date. Never rejects. */
  refresh(): Promise<void>;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Block = readonly [base: Address, prefixLength: number];

/**
 * The last two groups of an IPv6 address may be written as IPv4. The parser would read `::192.0.2.1` as
 * `::ffff:192.0.2.1`.
 */
const dottedEnd = /[\d.]+\.[\d.]+/;

/** The operator may write `loopback` for both blocks. */
const loopbackBlocks = ['127.0.0.0/8', '::1/128'];

/** IPv4 that is not public unicast (IANA special-purpose registry), and Azure's host address, which is. */
const deniedIpv4 = [
  '0.0.0.0/8', // this network; Linux connects 0.0.0.0 to loopback
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier NAT, also one cloud's metadata service
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure host services, announced as if public
  '169.254.0.0/16', // link local, most clouds' metadata service
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments, also one cloud's metadata service
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // multicast tunnelling
  '192.88.99.0/24', // 6to4 relay
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved and broadcast
].map(parseBlock);

/** The only IPv6 block of public unicast. */
const globalIpv6 = parseBlock('2000::/3');

/** The reserved blocks inside `2000::/3`. */
const deniedIpv6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarks, ORCHID and others
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3ffe::/16', // the returned 6bone
  '3fff::/20', // documentation
].map(parseBlock);

/**
 * Creates a policy that denies every address outside public unicast and those of this machine, except those in
 * `allowed`.
 *
 * An entry is a CIDR, a single address, or the word `loopback`. An IPv4 entry also covers the IPv4-mapped
 * form, because the kernel connects both to the same host. An IPv6 entry that covers translated IPv4 (such as
 * `64:ff9b::/96` for NAT64) only permits addresses whose IPv4 part is permitted too.
 *
 * @throws {TypeError} with one message that names every invalid entry
 */
export function createAddressPolicy(
  allowed: readonly string[],
  own: OwnAddresses | null = null,
): AddressPolicy {
  const blocks: Block[] = [];
  const faults: string[] = [];
  for (const entry of allowed.flatMap((word) =>
    word.trim() === 'loopback' ? loopbackBlocks : [word.trim()],
  )) {
    try {
      blocks.push(parseBlock(entry));
    } catch (error) {
      const { message } = error as TypeError; // It throws nothing else.
      faults.push(`"${entry}" ${message}`);
    }
  }
  if (faults.length > 0) throw new TypeError(`Allowed addresses: ${faults.join('; ')}.`);

  const isOwn = (address: Address): boolean =>
    own !== null &&
    [...own.ofInterfaces(), ...own.ofBaseUrl()].some((text) => {
      const block = parseOwnBlock(text);
      return block !== null && contains(block, address);
    });
  const permitsAddress = (address: Address, isOwnHost: boolean): boolean =>
    carriedIpv4(address).every((carried) => permitsAddress(carried, isOwnHost)) &&
    (blocks.some((block) => contains(block, address)) ||
      (isPublicUnicast(address) && !isOwnHost && !isOwn(address)));
  const permits = (text: string, name?: string): boolean => {
    const address = parseAddress(text);
    const isOwnHost = name !== undefined && own !== null && own.isOwnName(name);
    return address !== null && permitsAddress(address, isOwnHost);
  };
  return {
    permits,
    permitsName: (name) => {
      // RFC 6761 reserves these names for loopback.
      const isLocal = name === 'localhost' || name.endsWith('.localhost');
      if (isLocal) return permits('127.0.0.1') || permits('::1');
      return own === null || !own.isOwnName(name) || own.ofBaseUrl().every((address) => permits(address));
    },
    refresh: async () => own?.refresh(),
  };
}

/**
 * The canonical form in which an address is checked, connected to and compared: IPv4-mapped IPv6 becomes
 * IPv4, and IPv6 is compressed and lower case. Null for anything but a plain IP address.
 */
export function normalizeAddress(text: string): string | null {
  return parseAddress(text)?.toString() ?? null;
}

function hexGroups({ octets }: ipaddr.IPv4): string {
  const hex = Buffer.from(octets).toString('hex');
  return `${hex.slice(0, 4)}:${hex.slice(4)}`;
}

/** Checks with `isIP` first, because the parser also accepts octal, hexadecimal and short IPv4. */
function parseAddress(text: string): Address | null {
  const version = isIP(text);
  if (version === 0 || text.includes('%')) return null;
  if (version === 4) return ipaddr.IPv4.parse(text);
  const address = ipaddr.IPv6.parse(text.replace(dottedEnd, (end) => hexGroups(ipaddr.IPv4.parse(end))));
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

function parseBlock(text: string): Block {
  const [addressText, prefixText, ...rest] = text.split('/');
  const base = parseAddress(addressText ?? '');
  if (base === null || rest.length > 0) throw new TypeError('is not a CIDR, an address or the word loopback');
  if (base.kind() !== (isIP(addressText ?? '') === 4 ? 'ipv4' : 'ipv6'))
    throw new TypeError('must be written as IPv4');
  const width = base.kind() === 'ipv4' ? 32 : 128;
  const prefixLength = prefixText === undefined ? width : Number(prefixText);
  if (prefixText !== undefined && (!/^\d{1,3}$/.test(prefixText) || prefixLength > width)) {
    throw new TypeError(`needs a prefix length from 0 to ${width}`);
  }
  const first = base.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  const network = first.networkAddressFromCIDR(`${base.toString()}/${prefixLength}`).toString();
  if (network !== base.toString())
    throw new TypeError(`has bits after its prefix; write ${network}/${prefixLength}`);
  return [base, prefixLength];
}

/** Null for what is not an address. Unlike settings, it may have bits after its prefix. */
function parseOwnBlock(text: string): Block | null {
  const [addressText = '', prefixText] = text.split('/');
  const base = parseAddress(addressText);
  if (base === null) return null;
  return [base, prefixText === undefined ? (base.kind() === 'ipv4' ? 32 : 128) : Number(prefixText)];
}

function contains([base, prefixLength]: Block, address: Address): boolean {
  return base.kind() === address.kind() && address.match(base, prefixLength);
}

function isPublicUnicast(address: Address): boolean {
  if (address.kind() === 'ipv4') return !deniedIpv4.some((block) => contains(block, address));
  return contains(globalIpv6, address) && !deniedIpv6.some((block) => contains(block, address));
}

/**
 * The IPv4 addresses to which a gateway or tunnel would forward this IPv6 address. Mapped IPv4 was unwrapped
 * before.
 */
function carriedIpv4(address: Address): readonly ipaddr.IPv4[] {
  if (address instanceof ipaddr.IPv4) return [];
  const { parts } = address;
  const ipv4At = (index: number) => new ipaddr.IPv4(address.toByteArray().slice(index, index + 4));
  const isUnspecified = startsWith(parts, [0, 0, 0, 0, 0, 0, 0, 0]);
  const isLoopback = startsWith(parts, [0, 0, 0, 0, 0, 0, 0, 1]);
  const carriesInLastPart =
    (startsWith(parts, [0, 0, 0, 0, 0, 0]) && !isUnspecified && !isLoopback) || // IPv4-compatible (RFC 4291)
    startsWith(parts, [0, 0, 0, 0, 0xffff, 0]) || // stateless translation (RFC 2765)
    startsWith(parts, [0x64, 0xff9b, 0, 0, 0, 0]) || // NAT64, well known (RFC 6052)
    startsWith(parts, [0x64, 0xff9b, 1]) || // NAT64, local use in its usual layout (RFC 8215)
    ((parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe); // ISATAP (RFC 5214), in any prefix
  if (carriesInLastPart) return [ipv4At(12)];
  if (startsWith(parts, [0x2002])) return [ipv4At(2)]; // 6to4 (RFC 3056)
  if (startsWith(parts, [0x2001, 0])) {
    // Teredo (RFC 4380) contains the server's address as it is and the client's with every bit inverted.
    return [ipv4At(4), new ipaddr.IPv4(ipv4At(12).octets.map((octet) => octet ^ 0xff))];
  }
  return [];
}

function startsWith(parts: readonly number[], start: readonly number[]): boolean {
  return start.every((part, index) => parts[index] === part);
}
