/**
 * Closes a BullMQ worker in order. Takes seconds even without Redis, when BullMQ itself would wait forever.
 */
import type { Worker } from 'bullmq';
import type { Redis } from '../redis/redis.ts';

/** For the worker's last commands to Redis. */
const closeTimeoutMs = 1_500;

/**
 * Takes no more jobs, waits for running handlers however long they take, and closes the worker.
 *
 * @param connection the worker's own; disconnected at the end
 * @param underWay the running handlers, without BullMQ's work after them
 */
export async function closeWorker(
  worker: Worker,
  connection: Redis,
  underWay: () => Iterable<Promise<unknown>>,
): Promise<void> {
  // The worker takes no job from here on. Closing waits for everything that pausing waits for.
  worker.pause().catch(() => undefined);
  for (let running = [...underWay()]; running.length > 0; running = [...underWay()]) {
    await Promise.allSettled(running);
  }
  const closed = worker.close().catch(() => undefined);
  // Without Redis nothing waits: the locks expire, and the jobs are delivered again.
  if (connection.status === 'ready') await Promise.race([closed, Bun.sleep(closeTimeoutMs)]);
  connection.disconnect();
}
