/** The baseline of running eval jobs: what BullMQ itself delivers when there is nothing to do. */
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { redisNames } from '#runtime/redis/redis-names.ts';

const [queue = '', concurrency = ''] = process.argv.slice(2);
const connection = new Redis(process.env['REDIS_URL'] ?? '', {
  maxRetriesPerRequest: null,
  // Map replies come as flat arrays, which is what BullMQ reads.
  replyMapping: 'legacy',
});
/** Over the whole life of this process. */
let done = 0;
let awaited = Number.POSITIVE_INFINITY;

function tellWhenDone(): void {
  if (done < awaited) return;
  awaited = Number.POSITIVE_INFINITY;
  process.send?.({ done });
}

const worker = new Worker(
  queue,
  () => {
    done += 1;
    tellWhenDone();
    return Promise.resolve();
  },
  { connection, prefix: redisNames.queuePrefix, concurrency: Number(concurrency), skipVersionCheck: true },
);
worker.on('error', (error) => console.error(error));

process.on('message', (message: { awaitedInAll: number }) => {
  awaited = message.awaitedInAll;
  tellWhenDone();
});
process.on('disconnect', () => process.exit(0));
await worker.waitUntilReady();
process.send?.({ ready: true });
