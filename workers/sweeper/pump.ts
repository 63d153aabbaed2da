/**
 * The pump announces open jobs again that the queue may have forgotten: all of them as soon as it meets a Redis that has
 * lost its data, and otherwise, on a slow scan, those whose last announcement is some time ago.
 */
import type { Ctx } from '#domain/context.ts';
import { announcedOldAfterMs, reannounceOpenJobs } from '#domain/jobs/reannounce-open-jobs.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import type { Redis } from '#runtime/redis/redis.ts';

const announcedAtOnceMax = 500;

export interface Pump {
  /** @returns how many jobs were announced because Redis is a new one; 0 when it is the one we know */
  readonly announceAllToNewRedis: () => Promise<number>;
  /** @returns how many jobs were announced again */
  readonly announceOldJobs: () => Promise<number>;
}

export function createPump(ctx: Ctx, redis: Redis, logger: Logger): Pump {
  return {
    announceAllToNewRedis: async () => {
      if (redis.status !== 'ready' || (await redis.exists(redisNames.incarnation)) === 1) return 0;
      const startedAt = ctx.clock.now();
      let announced = 0;
      for (;;) {
        const some = await reannounceOpenJobs(ctx, { announcedBefore: startedAt, limit: announcedAtOnceMax });
        announced += some;
        if (some < announcedAtOnceMax) break;
      }
      // Set last: a pump that dies half-way leaves the key missing, and the next one starts over.
      await redis.set(redisNames.incarnation, startedAt.toISOString(), 'NX');
      logger.info({ announced }, 'met a new Redis and announced all open jobs to it');
      return 0;
    },
    announceOldJobs: async () => {
      const announcedBefore = new Date(ctx.clock.now().getTime() - announcedOldAfterMs);
      const some = await reannounceOpenJobs(ctx, { announcedBefore, limit: announcedAtOnceMax });
      // A full round means that there is more to look at; a lesser one ends the spell.
      return some < announcedAtOnceMax ? 0 : some;
    },
  };
}
