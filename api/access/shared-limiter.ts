import {
  type RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
  RLWrapperTimeouts,
} from 'rate-limiter-flexible';
import { redisNames } from '#runtime/redis/redis-names.ts';
import type { Redis } from '#runtime/redis/redis.ts';

interface SharedLimiterOptions {
  readonly redis: Redis;
  /** Counts while Redis is unavailable. */
  readonly local: RateLimiterMemory;
  readonly kind: string;
  readonly points: number;
  /** In seconds. */
  readonly duration: number;
  readonly timeoutMs: number;
  readonly inMemoryBlockOnConsumed?: number;
}

/** How long a request waits for Redis before this process counts on its own. */
export const defaultRateLimitTimeoutMs = 250;

/** Redis rounds. */
const toleranceMs = 1_000;

/** Counts in Redis, for all processes. */
export function createSharedLimiter({ redis, local, kind, timeoutMs, ...limits }: SharedLimiterOptions) {
  const limiter = new RLWrapperTimeouts({
    limiter: new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: redisNames.rateLimits + kind,
      rejectIfRedisNotReady: true,
      ...limits,
    }),
    timeoutMs,
    insuranceLimiter: local,
  });
  return {
    /** @throws RateLimiterRes over the limit */
    consume: async (key: string, points = 1): Promise<unknown> => {
      try {
        return await limiter.consume(key, points);
      } catch (rejected) {
        const longestMs = limits.duration * 1_000 + toleranceMs;
        if (!(rejected instanceof RateLimiterRes) || rejected.msBeforeNext <= longestMs) throw rejected;
        // It began while the clock was ahead, which Redis and this process would wait for.
        await limiter.delete(key);
        return limiter.consume(key, points);
      }
    },
    reward: (key: string): Promise<unknown> => limiter.reward(key),
  };
}
