/**
 * Limits concurrent calls to one target address across all jobs and processes, so that nobody can use the hub
 * to attack a third party. Counted in Redis; while Redis is unavailable, each process counts on its own.
 */
import type { TakeSlot } from '#runtime/guarded-http/guarded-request.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import { createSharedPlaces } from '#runtime/redis/shared-places.ts';
import { createLocalSlots } from './local-slots.ts';

const callsPerAddressMax = 8;
const askAgainMs = { least: 5, most: 50 };
const placeTtlMs = 5_000;
const renewalMs = 1_500;

export interface TargetSlots {
  readonly take: TakeSlot;
  /** Stops renewing. */
  close(): void;
}

export function createTargetSlots(redis: Redis, logger: Logger): TargetSlots {
  const local = createLocalSlots(callsPerAddressMax);
  const places = createSharedPlaces({
    redis,
    logger,
    prefix: redisNames.targetSlots,
    max: callsPerAddressMax,
    ttlMs: placeTtlMs,
    renewalMs,
  });

  /** @throws the signal's reason when it fires first */
  async function takePlace(address: string, signal: AbortSignal | undefined): Promise<() => void> {
    for (;;) {
      const leave = await places.take(address);
      if (leave !== null) return leave;
      await Bun.sleep(askAgainMs.least + Math.random() * (askAgainMs.most - askAgainMs.least));
      signal?.throwIfAborted();
    }
  }

  const take: TakeSlot = async (address, signal) => {
    // A slot in this process comes first, so that only one waiter per local slot polls Redis.
    const releaseLocal = await local.take(address, signal);
    try {
      const leave = await takePlace(address, signal);
      return () => {
        leave();
        releaseLocal();
      };
    } catch (error) {
      releaseLocal();
      throw error;
    }
  };
  return { take, close: () => places.close() };
}
