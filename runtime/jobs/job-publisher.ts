/**
 * Publishes jobs and signals over Redis without blocking the caller. The jobs of one turn of the event loop
 * go out together. What Redis does not accept in time is sent again for some seconds, as during a failover, and then
 * left to the outbox relay.
 */
import type { Queue } from 'bullmq';
import { crashPoint } from '../process/crash-points.ts';
import type { Logger } from '../tracing/log.ts';
import { redisNames } from '../redis/redis-names.ts';
import { within } from '../within.ts';
import type { Redis } from '../redis/redis.ts';
import { openQueue } from './open-queue.ts';

/** A job as it is published to BullMQ. */
export interface AnnouncedJob {
  /** The job's id in the queue. Publishing an id that the queue knows has no effect. */
  readonly id: string;
  readonly kind: string;
  readonly queue: string;
  readonly payload: object;
  readonly runAt: Date;
}

export interface RedisPublisher {
  publish(jobs: readonly AnnouncedJob[]): void;
  signal(topic: string): void;
  /** Waits until everything published so far was sent once. @returns how often Redis refused a job since the start */
  settled(): Promise<number>;
  /** Sends waiting jobs. The connection stays open. */
  close(): Promise<void>;
}

const announceTimeoutMs = 2_000;
/** Then the outbox relay's slow scan finds the job. */
const sendAgainForMs = 15_000;
const sendAgainAfterMs = 500;
const waitingMax = 20_000;
const bulkMax = 500;
/**
 * Attempts in the queue, which take 7.5 s, longer than most failovers. Afterwards the queue forgets the job, and the
 * outbox relay's slow scan publishes it again.
 */
const tries = { attempts: 5, backoff: { type: 'exponential', delay: 500 } };

interface WaitingJob extends AnnouncedJob {
  /** In the time of `performance.now()`. */
  readonly giveUpAt: number;
}

export function createJobPublisher(redis: Redis, logger: Logger): RedisPublisher {
  let waiting: WaitingJob[] = [];
  // By id, since the outbox relay may publish a job again in the meantime. To publish one that Redis has accepted after
  // all has no effect.
  const refused = new Map<string, WaitingJob>();
  let pause: ReturnType<typeof setTimeout> | undefined;
  let isClosing = false;
  let sending: Promise<void> = Promise.resolve();
  let scheduled = false;
  let refusals = 0;

  async function flush(): Promise<void> {
    scheduled = false;
    const jobs = waiting;
    waiting = [];
    try {
      for (const [name, group] of Map.groupBy(jobs, (job) => job.queue))
        await announceInBulk(openQueue(redis, name, logger), group);
    } catch (err) {
      refusals += jobs.length;
      if (!isClosing) keep(jobs);
      logger.warn({ err, jobs: jobs.length }, 'could not publish jobs; they will be published again');
    }
  }

  function keep(jobs: readonly WaitingJob[]): void {
    const now = performance.now();
    for (const job of jobs) {
      if (now < job.giveUpAt && refused.size < waitingMax) refused.set(job.id, job);
    }
    if (refused.size > 0) pause ??= setTimeout(pushRefused, sendAgainAfterMs).unref();
  }

  function pushRefused(): void {
    clearTimeout(pause);
    pause = undefined;
    const jobs = [...refused.values()];
    refused.clear();
    if (jobs.length > 0) push(jobs);
  }

  function push(jobs: readonly WaitingJob[]): void {
    waiting.push(...jobs);
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      sending = sending.then(flush);
    });
  }

  async function settled(): Promise<number> {
    if (scheduled) sending = sending.then(flush);
    await sending;
    return refusals;
  }

  return {
    publish: (jobs) => {
      if (waiting.length + jobs.length > waitingMax) {
        refusals += jobs.length;
        logger.warn(
          { jobs: jobs.length },
          'too many jobs wait to be published; the outbox relay will publish these',
        );
        return;
      }
      const giveUpAt = performance.now() + sendAgainForMs;
      push(jobs.map((job) => ({ ...job, giveUpAt })));
    },
    signal: (topic) => {
      // Followers also poll from time to time, so a lost signal only causes a delay.
      redis
        .publish(redisNames.signalChannel, topic)
        .catch((err: unknown) => logger.debug({ err, topic }, 'a signal was lost'));
    },
    settled,
    close: async () => {
      isClosing = true;
      pushRefused();
      await settled();
    },
  };
}

async function announceInBulk(queue: Queue, jobs: readonly AnnouncedJob[]): Promise<void> {
  for (let start = 0; start < jobs.length; start += bulkMax) {
    crashPoint('jobs.announcing');
    await within(
      announceTimeoutMs,
      announce(queue, jobs.slice(start, start + bulkMax)),
      () => new Error(`Redis did not respond within ${announceTimeoutMs} ms.`),
    );
    crashPoint('jobs.announced');
  }
}

async function announce(queue: Queue, jobs: readonly AnnouncedJob[]): Promise<void> {
  const now = Date.now();
  await queue.addBulk(
    jobs.map((job) => ({
      name: job.kind,
      data: job.payload,
      opts: {
        ...tries,
        jobId: job.id,
        delay: Math.max(0, job.runAt.getTime() - now),
        // A finished job kept under its id would make publishing it again a silent no-op.
        removeOnComplete: true,
        removeOnFail: true,
      },
    })),
  );
}
