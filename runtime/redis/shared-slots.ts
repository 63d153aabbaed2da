/**
 * Limits how many slots under a name are held concurrently over all processes. Redis counts them; while it is
 * down, each process counts its own. A held slot is renewed regularly, and a slot whose holder died becomes
 * free after a while.
 */
import { createId } from '../create-id.ts';
import type { Logger } from '../tracing/log.ts';
import type { Redis } from './redis.ts';

export interface SharedSlotsOptions {
  readonly redis: Redis;
  readonly logger: Logger;
  /** Prefix of the names in Redis. */
  readonly prefix: string;
  /** Slots per name. */
  readonly max: number;
  /** A slot becomes free this long after its last renewal. */
  readonly ttlMs: number;
  readonly renewalMs: number;
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

/** Also restores slots that an emptied Redis has lost. KEYS[1]: as above. ARGV: ttl in ms, holders. */
const renewSlots = `
local t = redis.call('TIME')
local until_ = t[1] * 1000 + math.floor(t[2] / 1000) + tonumber(ARGV[1])
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], until_, ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[1]))`;

/** The slots that this process holds under one name. */
interface Holding {
  /** Includes slots that are still being requested, so that requests never exceed the maximum. */
  taken: number;
  readonly holders: Set<string>;
}

export function createSharedSlots(options: SharedSlotsOptions): SharedSlots {
  const { redis, logger, prefix, max, ttlMs, renewalMs } = options;
  const holdings = new Map<string, Holding>();
  const timer = setInterval(() => {
    for (const [name, { holders }] of holdings) {
      if (holders.size === 0) continue;
      redis.eval(renewSlots, 1, prefix + name, ttlMs, ...holders).catch((err: unknown) => {
        logger.debug({ err, prefix }, 'could not renew slots');
      });
    }
  }, renewalMs);
  timer.unref();

  async function isPlaceFree(name: string, holder: string): Promise<boolean> {
    try {
      return (await redis.eval(takePlace, 1, prefix + name, max, ttlMs, holder)) === 1;
    } catch (err) {
      logger.debug({ err, prefix }, 'Redis is down; this process counts its own slots');
      return true;
    }
  }

  function leave(name: string, holding: Holding): void {
    holding.taken -= 1;
    if (holding.taken === 0) holdings.delete(name);
  }

  return {
    take: async (name) => {
      const holding = holdings.get(name) ?? { taken: 0, holders: new Set() };
      if (holding.taken >= max) return null;
      holding.taken += 1;
      holdings.set(name, holding);
      const holder = createId(new Date());
      if (!(await isPlaceFree(name, holder))) {
        leave(name, holding);
        return null;
      }
      holding.holders.add(holder);
      return () => {
        if (!holding.holders.delete(holder)) return;
        leave(name, holding);
        redis.zrem(prefix + name, holder).catch(() => undefined); // The slot expires.
      };
    },
    close: () => clearInterval(timer),
  };
}
