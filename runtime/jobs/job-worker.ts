/**
 * Takes jobs from one queue. BullMQ delivers at least once: a handler must bear being called again for the same job, by
 * another process too, while an earlier call still runs.
 */
import { DelayedError, type Job, Worker } from 'bullmq';
import { crashPoint } from '../process/crash-points.ts';
import { closeWorker } from './close-worker.ts';
import { type DeliveredJob, deliverJob } from './delivered-job.ts';
import { countJob, type JobEnd, watchWorker } from './job-metrics.ts';
import type { Logger } from '../tracing/log.ts';
import { redisNames } from '../redis/redis-names.ts';
import { connectWorker } from '../redis/redis.ts';
import type { Tracing } from '../tracing/tracing.ts';

export type { DeliveredJob } from './delivered-job.ts';

/** With these a job whose worker was killed is taken up again within about 5 seconds. */
const defaultRecovery: Recovery = { lockMs: 5_000, stalledCheckMs: 2_000 };
/** How often a job may stall is decided by its handler, from the store; the queue only delivers. */
const stalledMax = 1_000_000;

/** Has a job that was put off delivered now. Resolves with false when it is not put off any more, and never rejects. */
export type Bring = () => Promise<boolean>;

export interface RunLaterOptions {
  /** Nothing was done, so that the delivery is worth no span: a job may come many times so. */
  readonly idle?: boolean;
  /** Told once the queue has put the job off, for who may know earlier that its time has come. */
  readonly onPutOff?: (bring: Bring) => void;
}

/** Thrown by a handler to have the job delivered again later, which does not count as a failure. */
export class RunLater extends Error {
  override readonly name = 'RunLater';
  readonly delayMs: number;
  readonly idle: boolean;
  readonly onPutOff: (bring: Bring) => void;

  /** @param delayMs is rounded up to a whole number, as the queue counts in those */
  constructor(delayMs: number, { idle = false, onPutOff = () => undefined }: RunLaterOptions = {}) {
    const wholeMs = Math.ceil(delayMs);
    super(`Deliver again in ${wholeMs} ms.`);
    this.delayMs = wholeMs;
    this.idle = idle;
    this.onPutOff = onPutOff;
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
  /** Null or left out: deliveries make no spans. */
  readonly tracing?: Tracing | null;
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
  tracing = null,
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
      crashPoint('job.taken');
      // Jobs are announced under their rows' ids, so there always is one.
      const queued = { id: job.id ?? '', kind: job.name, payload: job.data as unknown };
      const delivered = deliverJob(queued, { queue, logger, tracing });
      const end = (how: JobEnd, idle = false): void => {
        countJob(queue, how, startedAt);
        // A span that is not ended is never told.
        if (!idle) delivered.end(how);
      };
      try {
        await handleNoted(delivered.job);
        crashPoint('job.handled');
        end('done');
      } catch (error) {
        if (error instanceof RunLater) end('later', error.idle);
        else end('failed');
        if (!(error instanceof RunLater)) {
          const { logger: own } = delivered.job;
          own.error({ err: error, kind: job.name }, 'a job failed and will be tried again');
          throw error;
        }
        await job.moveToDelayed(Date.now() + error.delayMs, lock);
        error.onPutOff(() => bringNow(job));
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

async function bringNow(job: Job): Promise<boolean> {
  try {
    await job.promote();
    return true;
  } catch {
    return false; // It is due, in a worker's hand, done, or gone with its Redis.
  }
}
