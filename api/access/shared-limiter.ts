import { type RateLimiterMemory, RateLimiterRedis, RLWrapperTimeouts } from 'rate-limiter-flexible';
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

/** Counts in Redis, for all processes. */
export function createSharedLimiter({ redis, local, kind, timeoutMs, ...limits }: SharedLimiterOptions) {
  return new RLWrapperTimeouts({
    limiter: new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: redisNames.rateLimits + kind,
      rejectIfRedisNotReady: true,
      ...limits,
    }),
    timeoutMs,
    insuranceLimiter: local,
  });
}
