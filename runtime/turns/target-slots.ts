/**
 * Limits concurrent calls to one target address across all jobs and processes, so that nobody can use the hub to attack
 * a third party, and shares the slots fairly between networks and agents (turn-order.ts). The calls in flight of each
 * process are limited too.
 */
import type { Logger } from '../tracing/log.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import { AddressTurns } from './address-turns.ts';
import { createLocalTurns } from './local-turns.ts';
import { SharedTurns } from './shared-turns.ts';
import type { Claimant } from './turn-order.ts';

const callsPerAddressMax = 8;
/** A call that waits for its target costs a socket and some memory. */
const callsPerProcessMax = 1_000;

export interface TargetSlots {
  /** Takes slots for the calls made on behalf of one agent. */
  takeFor(claimant: Claimant): (address: string, signal: AbortSignal | undefined) => Promise<() => void>;
  /** Stops renewing. */
  close(): void;
}

export function createTargetSlots(redis: Redis, logger: Logger): TargetSlots {
  const process = createLocalTurns({ max: callsPerProcessMax });
  const shared = new SharedTurns(redis, logger, callsPerAddressMax);
  const addresses = new AddressTurns(shared, callsPerAddressMax);
  return {
    takeFor: (claimant) => async (address, signal) => {
      const leaveAddress = await addresses.take(address, claimant, signal);
      try {
        const leaveProcess = await process.take(claimant, signal);
        return () => {
          leaveProcess();
          leaveAddress();
        };
      } catch (error) {
        leaveAddress();
        throw error;
      }
    },
    close: () => shared.close(),
  };
}
