/** Bounds the streams that an agent has open at all API processes together: they ask the store again and again. */
import { DomainError } from '#domain/errors.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import { createSharedPlaces } from '#runtime/redis/shared-places.ts';

export const openStreamsMax = 20;
/** The streams of a process that died count for so long. */
const streamTtlMs = 15_000;
const renewalMs = 5_000;

export interface OpenStreams {
  /**
   * Counts one more until the function that is given back is called.
   * @throws DomainError rate_limited when the agent has `openStreamsMax` of them open
   */
  open(agentId: string): Promise<() => void>;
  close(): void;
}

export function createOpenStreams(redis: Redis, logger: Logger): OpenStreams {
  const places = createSharedPlaces({
    redis,
    logger,
    prefix: redisNames.openStreams,
    max: openStreamsMax,
    ttlMs: streamTtlMs,
    renewalMs,
  });
  return {
    open: async (agentId) => {
      const leave = await places.take(agentId);
      if (leave !== null) return leave;
      throw new DomainError('rate_limited', `You have ${openStreamsMax} streams open, which is the limit.`, {
        hint: 'End one of them, or ask for the job itself now and then with GET /v1/eval-jobs/{id}.',
      });
    },
    close: () => places.close(),
  };
}
