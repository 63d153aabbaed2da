/**
 * At most so many calls at once to one target address, over all jobs and all processes (decisions.md section 5), so that
 * the hub cannot be turned against a third party. Counted in Redis; within this process alone while Redis is away.
 */
import type { TakeSlot } from '#runtime/guarded-http/guarded-request.ts';
import { createId } from '#runtime/create-id.ts';
import type { Logger } from '#runtime/log.ts';
import { redisNames } from '#runtime/redis-names.ts';
import type { Redis } from '#runtime/redis.ts';
import { createLocalSlots } from './local-slots.ts';

const callsPerAddressMax = 8;
const askAgainMs = { least: 5, most: 50 };
/** A place is renewed while its call runs; one whose holder died is free again after this. */
const placeTtlMs = 5_000;
const renewalMs = 1_500;

/** Takes a place when one is free. KEYS[1]: the places of an address by their end; ARGV: most places, ttl in ms, holder. */
const takePlace = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[3])
redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[2]))
return 1`;

/** Keeps places that are still held. KEYS[1]: as above; ARGV: ttl in ms, holders. */
const renewPlaces = `
local t = redis.call('TIME')
local until_ = t[1] * 1000 + math.floor(t[2] / 1000) + tonumber(ARGV[1])
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], 'XX', until_, ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[1]))`;

export interface TargetSlots {
  readonly take: TakeSlot;
  /** Stops renewing. */
  close(): void;
}

export function createTargetSlots(redis: Redis, logger: Logger): TargetSlots {
  const local = createLocalSlots(callsPerAddressMax);
  const held = new Map<string, Set<string>>();
  const timer = setInterval(() => {
    for (const [key, holders] of held) {
      redis.eval(renewPlaces, 1, key, placeTtlMs, ...holders).catch((err: unknown) => {
        logger.debug({ err }, 'places at a target address could not be renewed');
      });
    }
  }, renewalMs);

  async function isPlaceTaken(key: string, holder: string): Promise<boolean> {
    try {
      return (await redis.eval(takePlace, 1, key, callsPerAddressMax, placeTtlMs, holder)) === 1;
    } catch (err) {
      logger.debug({ err }, 'Redis is away; calls to one address are counted in this process alone');
      return true;
    }
  }

  function release(key: string, holder: string): void {
    const holders = held.get(key);
    holders?.delete(holder);
    if (holders?.size === 0) held.delete(key);
    redis.zrem(key, holder).catch(() => undefined); // The place frees itself in time.
  }

  const take: TakeSlot = async (address, signal) => {
    // First a place in this process, so that one process does not ask Redis for more than it could ever get.
    const releaseLocal = await local.take(address, signal);
    const key = redisNames.targetSlots + address;
    const holder = createId(new Date());
    try {
      while (!(await isPlaceTaken(key, holder))) {
        await Bun.sleep(askAgainMs.least + Math.random() * (askAgainMs.most - askAgainMs.least));
        signal?.throwIfAborted();
      }
    } catch (error) {
      releaseLocal();
      throw error;
    }
    held.set(key, (held.get(key) ?? new Set()).add(holder));
    return () => {
      releaseLocal();
      release(key, holder);
    };
  };
  return { take, close: () => clearInterval(timer) };
}
