/** The queues of the hub, for those who look at them: how full they are, and what is in them. It takes nothing out of them. */
import { Queue } from 'bullmq';
import { queueOfKind } from '#domain/jobs/job-kinds.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import { wakeQueue } from './wakes.ts';

/** Every queue there is, those of jobs first. */
export const hubQueueNames: readonly string[] = [...new Set<string>(Object.values(queueOfKind)), wakeQueue];

const queuesOfRedis = new WeakMap<Redis, readonly Queue[]>();

/** Made when they are first looked at. They share the producer connection, so there is nothing to close. */
export function hubQueuesOf(redis: Redis, logger: Logger): readonly Queue[] {
  const known = queuesOfRedis.get(redis);
  if (known !== undefined) return known;
  const queues = hubQueueNames.map((name) => {
    const queue = new Queue(name, {
      connection: redis,
      prefix: redisNames.queuePrefix,
      skipMetasUpdate: true,
    });
    queue.on('error', (err) => logger.debug({ err, queue: name }, 'a queue reports an error'));
    return queue;
  });
  queuesOfRedis.set(redis, queues);
  return queues;
}
