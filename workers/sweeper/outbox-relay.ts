/**
 * Republishes open jobs that the queue may have lost: all of them when Redis has lost its data, and
 * otherwise, on a slow scan, those that were last published some time ago.
 */
import type { Ctx } from '#domain/context.ts';
import { announcedOldAfterMs, reannounceOpenJobs } from '#domain/jobs/reannounce-open-jobs.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { counter } from '#runtime/tracing/metrics.ts';
import type { RedisPublisher } from '#runtime/jobs/job-publisher.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import { readReplicationId } from '#runtime/redis/replication-id.ts';

const relayedPerRoundMax = 500;

const replacements = counter(
  'hub_redis_replacements_total',
  'Times that Redis lost its data or failed over, so that every open job was published again.',
);
const announcedAgain = counter(
  'hub_jobs_announced_again_total',
  'Open jobs published again, because Redis was replaced or because they had waited for some time.',
  ['reason'],
);

export interface OutboxRelay {
  /** Publishes all open jobs to a new Redis. @returns 0, because a round leaves none to do */
  readonly relayAllToNewRedis: () => Promise<number>;
  /** @returns the number of jobs published again */
  readonly relayOldJobs: () => Promise<number>;
}

/** @param publisher the one of `ctx` */
export function createOutboxRelay(
  ctx: Ctx,
  redis: Redis,
  publisher: RedisPublisher,
  logger: Logger,
): OutboxRelay {
  // Present from the first scrape on, so that the first ones show as an increase.
  for (const reason of ['new_redis', 'age']) announcedAgain.inc({ reason }, 0);
  return {
    relayAllToNewRedis: async () => {
      if (redis.status !== 'ready') return 0;
      const [known, incarnation] = await Promise.all([
        redis.get(redisNames.incarnation),
        readReplicationId(redis),
      ]);
      // A promoted replica has the key of its predecessor but may lack the latest jobs.
      if (incarnation === null || known === incarnation) return 0;
      const startedAt = ctx.clock.now();
      const droppedBefore = await publisher.settled();
      let announced = 0;
      for (;;) {
        const some = await reannounceOpenJobs(ctx, { announcedBefore: startedAt, limit: relayedPerRoundMax });
        announced += some;
        // A new master may reject jobs until it has a replica. The next round publishes all of them again.
        if ((await publisher.settled()) > droppedBefore) return 0;
        if (some < relayedPerRoundMax) break;
      }
      // Set last: if this relay dies halfway, the key is missing or old, and the next relay starts over.
      await redis.set(redisNames.incarnation, incarnation);
      replacements.inc();
      announcedAgain.inc({ reason: 'new_redis' }, announced);
      logger.info({ announced }, 'Redis is new: published all open jobs to it');
      return 0;
    },
    relayOldJobs: async () => {
      const announcedBefore = new Date(ctx.clock.now().getTime() - announcedOldAfterMs);
      const some = await reannounceOpenJobs(ctx, { announcedBefore, limit: relayedPerRoundMax });
      announcedAgain.inc({ reason: 'age' }, some);
      // A full round may leave more to do; a smaller one ends the burst.
      return some < relayedPerRoundMax ? 0 : some;
    },
  };
}
