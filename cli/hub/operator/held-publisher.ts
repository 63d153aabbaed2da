/**
 * Holds back the jobs that a command enqueues and publishes them at the end, so that most commands need no
 * Redis.
 */
import type { JobNotice, JobPublisher } from '#domain/jobs/job-kinds.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import type { Redis } from '#runtime/redis/redis.ts';

export interface HeldPublisher extends JobPublisher {
  /**
   * Publishes the jobs. Without a Redis nothing is lost: the sweeper publishes them within half a minute.
   */
  send(connect: () => Promise<Redis | null>): Promise<void>;
}

export function createHeldPublisher(logger: Logger): HeldPublisher {
  const notices: JobNotice[] = [];
  const topics = new Set<string>();
  return {
    publish: (some) => void notices.push(...some),
    signal: (topic) => void topics.add(topic),
    send: async (connect) => {
      if (notices.length === 0 && topics.size === 0) return;
      const redis = await connect();
      if (redis === null) return;
      // Few commands enqueue jobs, and BullMQ takes a while to load.
      const { createJobPublisher } = await import('#runtime/jobs/job-publisher.ts');
      const publisher = createJobPublisher(redis, logger);
      publisher.publish(notices.splice(0));
      for (const topic of topics) publisher.signal(topic);
      topics.clear();
      await publisher.close();
    },
  };
}
