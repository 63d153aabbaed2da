/** Looks at queues and manages them: counts, active jobs, pausing. It takes no jobs. */
import type { Queue } from 'bullmq';

export interface QueueCounts {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
}

export async function countQueueJobs(queue: Queue): Promise<QueueCounts> {
  const counts = await queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed');
  return {
    waiting: (counts['waiting'] ?? 0) + (counts['prioritized'] ?? 0),
    active: counts['active'] ?? 0,
    delayed: counts['delayed'] ?? 0,
    failed: counts['failed'] ?? 0,
  };
}

/** How long the oldest waiting job has been in the queue; 0 when none waits. */
export async function oldestWaitingMs(queue: Queue): Promise<number> {
  const [oldest] = await queue.getJobs(['waiting'], 0, 0, true);
  // BullMQ reads the id first and the job second; it may be gone by then.
  return oldest === undefined ? 0 : Math.max(0, Date.now() - oldest.timestamp);
}
