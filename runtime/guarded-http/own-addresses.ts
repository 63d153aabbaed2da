/**
 * The addresses of the hub's own machine: those of its network interfaces, and those that the host of `BASE_URL`
 * resolves to. A service behind them may trust callers of this machine, or sit behind the same firewall.
 */
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

import { within } from '#runtime/within.ts';
import { type ResolveHost, systemResolveHost } from './resolve-host.ts';

export interface OwnAddresses {
  /** Addresses and CIDRs of the interfaces, as of now: they may come and go while the hub runs. */
  ofInterfaces(): readonly string[];
  /** What the host of `BASE_URL` is known to resolve to. */
  ofBaseUrl(): readonly string[];
  /** Whether a name in a URL is that of `BASE_URL`. */
  isOwnName(name: string): boolean;
  /** Looks up the hub's own name unless that happened a short while ago. Never rejects. */
  refresh(): Promise<void>;
}

interface OwnAddressesOptions {
  readonly resolve?: ResolveHost;
  readonly interfaces?: typeof networkInterfaces;
  readonly nowMs?: () => number;
}

const lookupTimeoutMs = 3_000;
const lookupEveryMs = 10_000;
/** A name server may return another part of many addresses each time. */
const keptMs = 60 * 60 * 1_000;
const keptMax = 256;

export function createOwnAddresses(
  baseUrl: string,
  {
    resolve = systemResolveHost,
    interfaces = networkInterfaces,
    nowMs = () => performance.now(),
  }: OwnAddressesOptions = {},
): OwnAddresses {
  const ownHost = plainHost(URL.parse(baseUrl)?.hostname ?? '');
  const isName = ownHost !== '' && isIP(ownHost) === 0;
  /** When each address of the hub's name was last seen; the oldest is first. */
  const seenAtMs = new Map<string, number>();
  let lookedUpAtMs = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | null = null;

  const lookUp = async (): Promise<void> => {
    try {
      const late = () => new Error(`The lookup took more than ${lookupTimeoutMs} ms.`);
      const found = await within(lookupTimeoutMs, resolve(ownHost), late);
      for (const address of found) {
        seenAtMs.delete(address);
        seenAtMs.set(address, nowMs());
      }
    } catch {
      // The addresses seen before still count.
    }
    for (const address of [...seenAtMs.keys()].slice(0, -keptMax)) seenAtMs.delete(address);
    lookedUpAtMs = nowMs();
    running = null;
  };

  return {
    ofInterfaces: () => interfaceAddresses(interfaces()),
    ofBaseUrl: () => {
      if (!isName) return [ownHost];
      const seen = [...seenAtMs].filter(([, atMs]) => nowMs() - atMs <= keptMs);
      return seen.map(([address]) => address);
    },
    isOwnName: (name) => isName && plainHost(name) === ownHost,
    refresh: async () => {
      if (!isName || nowMs() - lookedUpAtMs < lookupEveryMs) return;
      running ??= lookUp();
      await running;
    },
  };
}

/** On an interface for this machine only, Linux takes every address of the block as its own. */
function interfaceAddresses(all: ReturnType<typeof networkInterfaces>): string[] {
  return Object.values(all)
    .flatMap((entries) => entries ?? [])
    .map(({ address, cidr, internal }) => (internal && cidr !== null ? cidr : address));
}

/** As targets have it: without brackets and the final dot of a complete name. */
function plainHost(hostname: string): string {
  return hostname.toLowerCase().replaceAll(/[[\]]/g, '').replace(/\.$/, '');
}
