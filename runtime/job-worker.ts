/**
 * Takes jobs from one queue. BullMQ delivers at least once: a handler must bear being called again for the same job, by
 * another process too, while an earlier call still runs.
 */
import { DelayedError, Worker } from 'bullmq';
import { closeWorker } from './close-worker.ts';
import { countJob, watchWorker } from './job-metrics.ts';
import type { Logger } from './log.ts';
import { redisNames } from './redis-names.ts';
import { connectWorker } from './redis.ts';

/** With these a job whose worker was killed is taken up again within about 5 seconds. */
const defaultRecovery: Recovery = { lockMs: 5_000, stalledCheckMs: 2_000 };
/** How often a job may stall is decided by its handler, from the store; the queue only delivers. */
const stalledMax = 1_000_000;

export interface DeliveredJob {
  /** The id of its row. */
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
}

/** Thrown by a handler to have the job delivered again later, which does not count as a failure. */
export class RunLater extends Error {
  override readonly name = 'RunLater';
  readonly delayMs: number;

  /** @param delayMs is rounded up to a whole number, as the queue counts in those */
  constructor(delayMs: number) {
    const wholeMs = Math.ceil(delayMs);
    super(`Deliver again in ${wholeMs} ms.`);
    this.delayMs = wholeMs;
  }
}

/** How soon a job is given to somebody else when its worker has fallen silent. */
export interface Recovery {
  readonly lockMs: number;
  readonly stalledCheckMs: number;
}

export interface JobWorkerOptions {
  readonly queue: string;
  readonly concurrency: number;
  readonly redisUrl: string;
  readonly logger: Logger;
  readonly recovery?: Recovery;
  readonly handle: (job: DeliveredJob) => Promise<void>;
}

export interface JobWorker {
  /** Takes no more jobs and waits for those under way. */
  drain(): Promise<void>;
}

export function startJobWorker({
  queue,
  concurrency,
  redisUrl,
  logger,
  recovery = defaultRecovery,
  handle,
}: JobWorkerOptions): JobWorker {
  const connection = connectWorker(redisUrl, logger);
  const underWay = new Set<Promise<void>>();

  async function handleNoted(job: DeliveredJob): Promise<void> {
    const handling = handle(job);
    underWay.add(handling);
    try {
      await handling;
    } finally {
      underWay.delete(handling);
    }
  }

  const worker = new Worker(
    queue,
    async (job, lock) => {
      const startedAt = performance.now();
      try {
        // Jobs are announced under their rows' ids, so there always is one.
        await handleNoted({ id: job.id ?? '', kind: job.name, payload: job.data as unknown });
        countJob(queue, 'done', startedAt);
      } catch (error) {
        countJob(queue, error instanceof RunLater ? 'later' : 'failed', startedAt);
        if (!(error instanceof RunLater)) {
          logger.error({ err: error, job: job.id, kind: job.name }, 'a job failed and will be tried again');
          throw error;
        }
        await job.moveToDelayed(Date.now() + error.delayMs, lock);
        throw new DelayedError();
      }
    },
    {
      connection,
      prefix: redisNames.queuePrefix,
      concurrency,
      lockDuration: recovery.lockMs,
      stalledInterval: recovery.stalledCheckMs,
      maxStalledCount: stalledMax,
      skipVersionCheck: true,
    },
  );
  watchWorker(worker, queue);
  // BullMQ needs a listener; losing a lock is settled in the store, and absences of Redis are logged by the connection.
  worker.on('error', (err) => logger.debug({ err, queue }, 'the queue reports an error'));

  return {
    drain: () => closeWorker(worker, connection, () => underWay),
  };
}
