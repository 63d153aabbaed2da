/**
 * Takes jobs from one queue. BullMQ delivers at least once, so a handler may be called again for the same
 * job, even in another process, while an earlier call still runs.
 */
import { DelayedError, type Job, Worker } from 'bullmq';
import { crashPoint } from '../process/crash-points.ts';
import { type DeliveredJob, deliverJob } from './delivered-job.ts';
import { countJob, type JobEnd, watchWorker } from './job-metrics.ts';
import type { Logger } from '../tracing/log.ts';
import { redisNames } from '../redis/redis-names.ts';
import { connectWorker, type Redis } from '../redis/redis.ts';
import type { Tracing } from '../tracing/tracing.ts';

export type { DeliveredJob } from './delivered-job.ts';

/** With these, a job whose worker was killed is taken up again within about 5 seconds. */
const defaultRecovery: Recovery = { lockMs: 5_000, stalledCheckMs: 2_000 };
/** After a connection error, e.g. during a failover. BullMQ's default is 15 seconds. */
const retryDelayMs = 500;
/** The handler decides from the store how often a job may stall. The queue only delivers. */
const stalledMax = 1_000_000;

/** Delivers a postponed job now. Resolves with false when it is no longer postponed, and never rejects. */
export type Requeue = () => Promise<boolean>;

export interface SnoozeOptions {
  /** Nothing was done, so the delivery needs no span. A job may be delivered many times like this. */
  readonly idle?: boolean;
  /**
   * Called once the queue has postponed the job, for callers that may learn earlier that its time has come.
   */
  readonly onSnooze?: (requeue: Requeue) => void;
}

/** Thrown by a handler to have the job delivered again later, without counting as a failure. */
export class Snooze extends Error {
  override readonly name = 'Snooze';
  readonly delayMs: number;
  readonly idle: boolean;
  readonly onSnooze: (requeue: Requeue) => void;

  /** @param delayMs rounded up to an integer, which the queue requires */
  constructor(delayMs: number, { idle = false, onSnooze = () => undefined }: SnoozeOptions = {}) {
    const wholeMs = Math.ceil(delayMs);
    super(`Deliver again in ${wholeMs} ms.`);
    this.delayMs = wholeMs;
    this.idle = idle;
    this.onSnooze = onSnooze;
  }
}

/** How soon a job of a worker that stopped responding is given to another. */
export interface Recovery {
  readonly lockMs: number;
  readonly stalledCheckMs: number;
}

export interface JobWorkerOptions {
  readonly queue: string;
  readonly concurrency: number;
  readonly redisUrl: string;
  readonly logger: Logger;
  /** Null or absent: deliveries create no spans. */
  readonly tracing?: Tracing | null;
  readonly recovery?: Recovery;
  readonly handle: (job: DeliveredJob) => Promise<void>;
}

export interface JobWorker {
  /** Takes no more jobs and waits for running ones. */
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
    (job, lock) => handleDelivery(job, lock, { queue, logger, tracing, handle: handleNoted }),
    {
      connection,
      prefix: redisNames.queuePrefix(queue),
      concurrency,
      lockDuration: recovery.lockMs,
      stalledInterval: recovery.stalledCheckMs,
      maxStalledCount: stalledMax,
      runRetryDelay: retryDelayMs,
      skipVersionCheck: true,
    },
  );
  watchWorker(worker, queue);
  // BullMQ requires a listener. The store handles a lost lock, and the connection logs outages of Redis.
  worker.on('error', (err) => logger.debug({ err, queue }, 'queue error'));

  return {
    drain: () => closeWorker(worker, connection, () => underWay),
  };
}

type Delivery = Required<Pick<JobWorkerOptions, 'queue' | 'logger' | 'tracing' | 'handle'>>;

/** Handles one delivery and reports its outcome to BullMQ, the metrics and the span. */
async function handleDelivery(
  job: Job,
  lock: string | undefined,
  { queue, logger, tracing, handle }: Delivery,
): Promise<void> {
  const startedAt = performance.now();
  crashPoint('job.taken');
  // Jobs are published under the ids of their rows, so the id is never missing.
  const queued = { id: job.id ?? '', kind: job.name, payload: job.data as unknown };
  const delivered = deliverJob(queued, { queue, logger, tracing });
  const end = (how: JobEnd, idle = false): void => {
    countJob(queue, how, startedAt);
    // A span that never ends is not exported.
    if (!idle) delivered.end(how);
  };
  try {
    await handle(delivered.job);
    crashPoint('job.handled');
    end('done');
  } catch (error) {
    if (!(error instanceof Snooze)) {
      end('failed');
      delivered.job.logger.error({ err: error, kind: job.name }, 'a job failed and will be retried');
      throw error;
    }
    end('later', error.idle);
    await job.moveToDelayed(Date.now() + error.delayMs, lock);
    error.onSnooze(() => requeueNow(job));
    throw new DelayedError();
  }
}

async function requeueNow(job: Job): Promise<boolean> {
  try {
    await job.promote();
    return true;
  } catch {
    return false; // It is due, running, done, or lost with its Redis.
  }
}

/** For the worker's last commands to Redis. */
const closeTimeoutMs = 1_500;

/**
 * Closes a BullMQ worker in order: takes no more jobs, waits for running handlers however long they take, and closes
 * the worker. Takes seconds even without Redis, when BullMQ itself would wait forever.
 *
 * @param connection the worker's own; disconnected at the end
 * @param underWay the running handlers, without BullMQ's work after them
 */
async function closeWorker(
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
