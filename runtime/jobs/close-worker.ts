/** Ends a BullMQ worker in order, and within seconds when its Redis is away: BullMQ itself would wait for it for ever. */
import type { Worker } from 'bullmq';
import type { Redis } from '../redis/redis.ts';

/** For what the worker has to tell Redis at the end. */
const closeTimeoutMs = 1_500;

/**
 * Takes no more jobs, waits for the handlers under way however long they take, and lets go of the worker.
 *
 * @param connection made for this worker; disconnected at the end
 * @param underWay the handlers that run just now, without what BullMQ does after them
 */
export async function closeWorker(
  worker: Worker,
  connection: Redis,
  underWay: () => Iterable<Promise<unknown>>,
): Promise<void> {
  // No job is taken from here on; what pausing waits for, closing waits for too.
  worker.pause().catch(() => undefined);
  for (let running = [...underWay()]; running.length > 0; running = [...underWay()]) {
    await Promise.allSettled(running);
  }
  const closed = worker.close().catch(() => undefined);
  // Who cannot be told now is not waited for: the locks run out, and the jobs are delivered again.
  if (connection.status === 'ready') await Promise.race([closed, Bun.sleep(closeTimeoutMs)]);
  connection.disconnect();
}
