import { Queue } from 'bullmq';
import type { Logger } from '../tracing/log.ts';
import { redisNames } from '../redis/redis-names.ts';
import type { Redis } from '../redis/redis.ts';

const queuesOfRedis = new WeakMap<Redis, Map<string, Queue>>();

/** Opens a queue once for each `redis`, whose connection all its queues share. There is nothing to close. */
export function openQueue(redis: Redis, name: string, logger: Logger): Queue {
  return queuesOfRedis
    .getOrInsertComputed(redis, () => new Map<string, Queue>())
    .getOrInsertComputed(name, () => createQueue(redis, name, logger));
}

function createQueue(redis: Redis, name: string, logger: Logger): Queue {
  const queue = new Queue(name, {
    connection: redis,
    prefix: redisNames.queuePrefix(name),
    skipMetasUpdate: true,
    // BullMQ checks the version once. If Redis did not respond at that moment, the queue would never work.
    skipVersionCheck: true,
  });
  queue.on('error', (err) => logger.debug({ err, queue: name }, 'queue error'));
  return queue;
}
