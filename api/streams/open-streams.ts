/** Limits the open streams of an agent over all API processes, because every stream polls the database. */
import { DomainError } from '#domain/errors.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import { createSharedSlots } from '#runtime/redis/shared-slots.ts';
import { operation } from '#domain/operation.ts';

export const openStreamsMax = 20;
/** How long the streams of a crashed process keep counting. */
const streamTtlMs = 15_000;
const renewalMs = 5_000;

export interface OpenStreams {
  /**
   * Counts one more stream until the returned function is called.
   * @throws DomainError rate_limited if the agent has `openStreamsMax` streams open
   */
  open(agentId: string): Promise<() => void>;
  close(): void;
}

export function createOpenStreams(redis: Redis, logger: Logger): OpenStreams {
  const places = createSharedSlots({
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
      throw new DomainError('rate_limited', `You have ${openStreamsMax} open streams, the maximum.`, {
        hint: `Close one of them, or poll the job with ${operation('getEvalJob')}.`,
      });
    },
    close: () => places.close(),
  };
}
