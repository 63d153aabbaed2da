/** The queues of a running hub, as the commands see and change them. */
import type { Queue } from 'bullmq';
import { kindsOfQueue, queueNames } from '#domain/jobs/job-kinds.ts';
import { readQueueBacklog } from '#domain/jobs/read-queue-backlog.ts';
import { listOpenJobIds, retriedAtOnceMax, retryJobs } from '#domain/jobs/retry-jobs.ts';
import { countQueueJobs, oldestWaitingMs, type QueueCounts } from '#runtime/jobs/inspect-queue.ts';
import { openQueue } from '#runtime/jobs/open-queue.ts';
import type { Output } from '../output.ts';
import type { Operator } from './open-operator.ts';

/**
 * Opens queues of a running hub by name.
 * @throws StartError when the hub's Redis does not respond
 */
export async function findQueues(operator: Operator, names: readonly string[]): Promise<readonly Queue[]> {
  const redis = await operator.redis();
  const wanted = queueNames.filter((name) => names.includes(name));
  return wanted.map((name) => openQueue(redis, name, operator.logger));
}

export interface QueueStatus extends QueueCounts {
  readonly name: string;
  readonly paused: boolean;
  /** Worker processes connected to the queue. */
  readonly workers: number;
  /** Null for the queue of actor wakes, whose jobs are not in the database. */
  readonly open: number | null;
  readonly oldestWaitingMs: number;
}

/** The status of a queue from both stores. */
export async function readQueueStatus(operator: Operator, queue: Queue): Promise<QueueStatus> {
  const [counts, paused, workers, backlog] = await Promise.all([
    countQueueJobs(queue),
    queue.isPaused(),
    queue.getWorkersCount(),
    readQueueBacklog(operator.ctx, queue.name, () => oldestWaitingMs(queue)),
  ]);
  return { name: queue.name, paused, workers, ...counts, ...backlog };
}

const lookEveryMs = 250;

/**
 * Waits until the workers of a paused queue have no running jobs.
 * @param until deadline by `performance.now()`; returns then even if jobs are still running
 */
export async function drainQueue(queue: Queue, until: number, output: Output): Promise<void> {
  const first = await queue.getActiveCount();
  for (let active = first; active > 0 && performance.now() < until; active = await queue.getActiveCount()) {
    output.progress(Math.max(0, first - active), first);
    await Bun.sleep(lookEveryMs);
  }
}

/** Jobs enqueued meanwhile come last, and must not keep the command running forever. */
const roundsMax = 2_000;

/**
 * Makes the open jobs of a queue run now.
 * @returns the number of open jobs that are now due
 */
export async function retryQueue(operator: Operator, queue: Queue): Promise<number> {
  const { ctx } = operator;
  const kinds = kindsOfQueue(queue.name);
  let retried = 0;
  let after: string | null = null;
  for (let round = 0; round < roundsMax; round += 1) {
    const ids = await listOpenJobIds(ctx, { kinds, after, limit: retriedAtOnceMax });
    const last = ids.at(-1);
    if (last === undefined) break;
    retried += (await retryJobs(ctx, ids)).length;
    // Published before the queue releases any: a job completed by then would be published again for nothing.
    await operator.announce();
    after = last;
  }
  // Releases delayed jobs. The worker that takes one reads from the database that it is due.
  await queue.promoteJobs();
  return retried;
}
