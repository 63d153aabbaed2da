/** The status of a queue from both stores. */
import type { Queue } from 'bullmq';
import { readQueueBacklog } from '#domain/jobs/read-queue-backlog.ts';
import { countQueueJobs, type QueueCounts, viewQueue } from '#runtime/jobs/inspect-queue.ts';
import type { Operator } from '../open-operator.ts';

export interface QueueStatus extends QueueCounts {
  readonly name: string;
  readonly paused: boolean;
  /** Worker processes connected to the queue. */
  readonly workers: number;
  /** Null for the queue of actor wakes, whose jobs are not in the database. */
  readonly open: number | null;
  readonly oldestWaitingMs: number;
}

export async function readQueueStatus(operator: Operator, queue: Queue): Promise<QueueStatus> {
  const [counts, paused, workers, backlog] = await Promise.all([
    countQueueJobs(queue),
    queue.isPaused(),
    queue.getWorkersCount(),
    readQueueBacklog(operator.ctx, queue.name, viewQueue(await operator.redis(), queue)),
  ]);
  return { name: queue.name, paused, workers, ...counts, ...backlog };
}
