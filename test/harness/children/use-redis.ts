/**
 * Uses the Redis at REDIS_URL as a hub does, and prints `done`. A process of its own, because NODE_EXTRA_CA_CERTS is
 * read only at its start.
 */
import { checkRedis } from '#runtime/redis/check-redis.ts';
import { createMailboxes } from '#actors/mailbox.ts';
import { startJobWorker } from '#runtime/jobs/job-worker.ts';
import { openQueue } from '#runtime/jobs/open-queue.ts';
import { connectProducer, connectSubscriber, isReadyWithin, keepSubscribed } from '#runtime/redis/redis.ts';
import { replyTo } from '#actors/messages.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { readReplicationId } from '#runtime/redis/replication-id.ts';
import { createLogger } from '#runtime/tracing/log.ts';

const url = process.env['REDIS_URL'] ?? '';
const readyMs = 20_000;
const epoch = 1;
const logger = createLogger({ name: 'use-redis', level: 'silent' });

await checkRedis(url).catch((error: unknown) => {
  console.log(String(error));
  process.exit(1);
});
const redis = connectProducer(url, logger);
const subscriber = connectSubscriber(url, logger);
await isReadyWithin(redis, readyMs);
await isReadyWithin(subscriber, readyMs);

const heard = new Promise((resolve) => void subscriber.once('message', resolve));
keepSubscribed(subscriber, redisNames.signalChannel);
const saying = setInterval(() => void redis.publish(redisNames.signalChannel, 'a topic'), 50);
await heard;
clearInterval(saying);

const mailboxes = createMailboxes(redis);
await mailboxes.append('seat/one', [{ id: 'a', replyTo: 'me', timeoutMs: readyMs, command: 'any' }]);
const { messages } = (await mailboxes.take('seat/one', epoch, [])) ?? { messages: [] };
await mailboxes.take(
  'seat/one',
  epoch,
  messages.map((message) => replyTo(message, null)),
);

const queue = openQueue(redis, 'actor-wakes', logger);
await queue.add('wake', 'seat/one');
await new Promise<void>((resolve) => {
  startJobWorker({
    queue: 'actor-wakes',
    concurrency: 1,
    redisUrl: url,
    logger,
    handle: async () => resolve(),
  });
});
await readReplicationId(redis);
console.log(messages.length === 1 ? 'done' : `${messages.length} entries`);
process.exit(0);
