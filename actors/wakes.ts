/**
 * Wakes actors through the queue `actor-wakes` if no process can be woken directly. A wake is a hint that a mailbox is
 * not empty. A waiting wake covers all later ones, an active one is followed by another (`keepLastIfActive`), and the
 * sweep replaces a lost one.
 */
import { wakeQueue } from '#domain/jobs/job-kinds.ts';
import { openQueue } from '#runtime/jobs/open-queue.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import type { ActorAddress } from './actor-type.ts';
import { wakeTimeoutMs } from './limits.ts';

export type Wakes = ReturnType<typeof createWakes>;

export function createWakes(redis: Redis, logger: Logger) {
  const queue = openQueue(redis, wakeQueue, logger);

  return {
    /** Never rejects. */
    wake: async (address: ActorAddress): Promise<void> => {
      crashPoint('actor.waking');
      const deduplication = { id: address, keepLastIfActive: true };
      const added = queue.add('wake', address, { deduplication, removeOnComplete: true, removeOnFail: true });
      await Promise.race([added, Bun.sleep(wakeTimeoutMs)]).catch((err: unknown) =>
        logger.debug({ err, address }, 'wake lost; the sweep will find the mailbox'),
      );
    },
    /** Whether actors wait for a free worker slot. */
    areWaiting: async (): Promise<boolean> => (await queue.getWaitingCount()) > 0,
    /** Whether an operator has paused the queue. */
    arePaused: (): Promise<boolean> => queue.isPaused(),
  };
}
