/**
 * Wakes actors through the queue `actor-wakes`. A wake is a hint that a mailbox is not empty: one that waits stands for
 * all that follow it, one that is being worked on is followed by another (`keepLastIfActive`), and one that is lost is
 * made up for by the sweep.
 */
import { Queue } from 'bullmq';
import type { Logger } from '#runtime/log.ts';
import { redisNames } from '#runtime/redis-names.ts';
import type { Redis } from '#runtime/redis.ts';
import type { ActorAddress } from './actor-type.ts';
import { wakeTimeoutMs } from './limits.ts';

export const wakeQueue = 'actor-wakes';

export interface Wakes {
  wake(address: ActorAddress): void;
  /** Whether actors wait for a place in some worker. */
  areWaiting(): Promise<boolean>;
  close(): Promise<void>;
}

export function createWakes(redis: Redis, logger: Logger): Wakes {
  const queue = new Queue(wakeQueue, {
    connection: redis,
    prefix: redisNames.queuePrefix,
    skipMetasUpdate: true,
  });
  queue.on('error', (err) => logger.debug({ err }, 'the queue of wakes reports an error'));
  /** One wake of an actor at a time is on its way from this process; true: another is wanted after it. */
  const underWay = new Map<string, boolean>();

  async function send(name: string, address: ActorAddress): Promise<void> {
    try {
      do {
        underWay.set(name, false);
        await withinTime(
          queue.add('wake', address, {
            deduplication: { id: name, keepLastIfActive: true },
            removeOnComplete: true,
            removeOnFail: true,
          }),
        );
      } while (underWay.get(name) === true);
    } catch (err) {
      logger.debug({ err, actor: name }, 'a wake was lost; the sweep will find the mailbox');
    } finally {
      underWay.delete(name);
    }
  }

  return {
    wake: (address) => {
      const name = `${address.type}-${address.id}`;
      if (underWay.has(name)) underWay.set(name, true);
      else void send(name, address);
    },
    areWaiting: async () => (await queue.getWaitingCount()) > 0,
    close: () => queue.close(),
  };
}

/** BullMQ waits for ever for a Redis that is away. */
async function withinTime(work: Promise<unknown>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`The wake was not taken within ${wakeTimeoutMs} ms.`)),
    wakeTimeoutMs,
  );
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
