/**
 * Limits concurrent calls to one target address across all jobs and processes, so that nobody can use the hub to attack
 * a third party, and shares the slots fairly between networks and agents (turns.ts). The calls in flight of each
 * process are limited too.
 */
import type { Logger } from '../tracing/log.ts';
import { networksOf } from '#runtime/inbound-http/client-address.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import type { TakeSlot } from '#runtime/guarded-http/guarded-request.ts';
import { AddressTurns } from './address-turns.ts';
import { Destinations } from './destinations.ts';
import { type Claimant, createLocalTurns } from './turns.ts';
import { SharedTurns } from './shared-turns.ts';

const callsPerAddressMax = 8;
/** A call that waits for its target costs a socket and some memory. */
const callsPerProcessMax = 1_000;

/** Takes slots for the calls made on behalf of one agent. */
export interface TargetSlots {
  takeFor(claimant: Claimant): (address: string, signal: AbortSignal | undefined) => Promise<() => void>;
  /** For calls that also wait for the rate limit of their destination (destinations.ts). */
  takeLimitedFor(claimant: Claimant): TakeSlot;
  /** Stops renewing. */
  close(): void;
}

export function createTargetSlots(redis: Redis, logger: Logger): TargetSlots {
  const process = createLocalTurns({ max: callsPerProcessMax });
  const shared = new SharedTurns(redis, logger, callsPerAddressMax);
  const addresses = new AddressTurns(shared, callsPerAddressMax);
  const destinations = new Destinations(redis, logger);
  const takeFor: TargetSlots['takeFor'] = (claimant) => async (address, signal) => {
    // One host may have many ports, and all addresses of an IPv6 /64.
    const [network = address] = networksOf(ipOf(address));
    return both(await addresses.take(network, claimant, signal), () => process.take(claimant, signal));
  };
  return {
    takeFor,
    // In the other order, calls that were counted would leave in a burst after a slow one.
    takeLimitedFor: (claimant) => async (address, signal, call) =>
      both(await takeFor(claimant)(address, signal), () =>
        destinations.enter({ ...call, ip: ipOf(address) }, claimant, signal),
      ),
    close: () => shared.close(),
  };
}

/** @returns what releases both */
async function both(leaveFirst: () => void, takeSecond: () => Promise<() => void>): Promise<() => void> {
  try {
    const leaveSecond = await takeSecond();
    return () => {
      leaveSecond();
      leaveFirst();
    };
  } catch (error) {
    leaveFirst();
    throw error;
  }
}

/** @param address `ip:port` */
export function ipOf(address: string): string {
  return address.slice(0, address.lastIndexOf(':')).replaceAll(/[[\]]/g, '');
}
