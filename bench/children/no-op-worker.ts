/** The baseline for eval runs: the throughput of BullMQ with jobs that do nothing. */
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { redisNames } from '#runtime/redis/redis-names.ts';

const [queue = '', concurrency = ''] = process.argv.slice(2);
const connection = new Redis(process.env['REDIS_URL'] ?? '', {
  maxRetriesPerRequest: null,
  // BullMQ expects map replies as flat arrays.
  replyMapping: 'legacy',
});
/** Since the process started. */
let done = 0;
let awaited = Number.POSITIVE_INFINITY;

function reportWhenDone(): void {
  if (done < awaited) return;
  awaited = Number.POSITIVE_INFINITY;
  process.send?.({ done });
}

const worker = new Worker(
  queue,
  () => {
    done += 1;
    reportWhenDone();
    return Promise.resolve();
  },
  {
    connection,
    prefix: redisNames.queuePrefix(queue),
    concurrency: Number(concurrency),
    skipVersionCheck: true,
  },
);
worker.on('error', (error) => console.error(error));

process.on('message', (message: { awaitedInAll: number }) => {
  awaited = message.awaitedInAll;
  reportWhenDone();
});
process.on('disconnect', () => process.exit(0));
await worker.waitUntilReady();
process.send?.({ ready: true });
