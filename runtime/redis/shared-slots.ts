/**
 * Limits how many slots under a name are held concurrently over all processes. Redis counts them; while it is
 * down, each process counts its own. A held slot is renewed regularly, and a slot whose holder died becomes
 * free after a while.
 */
import { createId } from '../create-id.ts';
import type { Logger } from '../tracing/log.ts';
import { KeptSlots, type KeptSlotsTimes } from './kept-slots.ts';
import type { Redis } from './redis.ts';

export interface SharedSlotsOptions extends KeptSlotsTimes {
  readonly redis: Redis;
  readonly logger: Logger;
  /** Prefix of the names in Redis. */
  readonly prefix: string;
  /** Slots per name. */
  readonly max: number;
}

export interface SharedSlots {
  /**
   * Never rejects.
   * @returns a function that releases the slot, or null when all slots are held
   */
  take(name: string): Promise<(() => void) | null>;
  /** Stops renewing. */
  close(): void;
}

/** KEYS[1]: the slots of a name, by expiry. ARGV: maximum, ttl in ms, holder. */
const takePlace = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[3])
redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[2]))
return 1`;

export function createSharedSlots(options: SharedSlotsOptions): SharedSlots {
  const { redis, logger, prefix, max, ttlMs } = options;
  const kept = new KeptSlots(redis, logger, options);
  /** The slots of this process by name, including requested ones, so that requests never exceed the maximum. */
  const taken = new Map<string, number>();

  async function isPlaceFree(name: string, holder: string): Promise<boolean> {
    try {
      return (await redis.eval(takePlace, 1, prefix + name, max, ttlMs, holder)) === 1;
    } catch (err) {
      logger.debug({ err, prefix }, 'Redis is down; this process counts its own slots');
      return true;
    }
  }

  function leave(name: string): void {
    const left = (taken.get(name) ?? 0) - 1;
    if (left > 0) taken.set(name, left);
    else taken.delete(name);
  }

  return {
    take: async (name) => {
      const before = taken.get(name) ?? 0;
      if (before >= max) return null;
      taken.set(name, before + 1);
      const holder = createId(new Date());
      if (!(await isPlaceFree(name, holder))) {
        leave(name);
        return null;
      }
      kept.add(prefix + name, holder);
      return () => {
        if (!kept.delete(prefix + name, holder)) return;
        leave(name);
        redis.zrem(prefix + name, holder).catch(() => undefined); // The slot expires.
      };
    },
    close: () => kept.close(),
  };
}
