/** How a queue stands: its jobs by state as Redis tells it, and what of it is open and due as the database does. */
import type { Queue } from 'bullmq';
import type { Ctx } from '#domain/context.ts';
import { type JobKind, queueOfKind } from '#domain/jobs/job-kinds.ts';
import { activeIdsMax, readBacklog } from '#domain/jobs/read-backlog.ts';
import type { Redis } from '#runtime/redis/redis.ts';

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

export interface QueueBacklog {
  /** Jobs promised and not yet done; null for a queue whose jobs are in no table. */
  readonly open: number | null;
  /** For how long the oldest job that is due has waited for a worker; 0 when none waits. */
  readonly oldestWaitingMs: number;
}

/** @param redis null while it is away: then nothing is in hand as far as anybody can tell */
export async function readQueueBacklog(
  ctx: Pick<Ctx, 'db' | 'clock'>,
  redis: Redis | null,
  queue: Queue,
): Promise<QueueBacklog> {
  const kinds = kindsOfQueue(queue.name);
  if (kinds.length === 0) {
    return { open: null, oldestWaitingMs: redis === null ? 0 : await oldestInQueueMs(queue) };
  }
  const active = redis === null ? [] : await redis.lrange(queue.toKey('active'), 0, activeIdsMax - 1);
  return readBacklog(ctx, { kinds, activeIds: new Set(active) });
}

/** The kinds of jobs that go through a queue; none for the queue of wakes. */
export function kindsOfQueue(queueName: string): readonly JobKind[] {
  // The keys of the table are exactly the kinds.
  return (Object.keys(queueOfKind) as JobKind[]).filter((kind) => queueOfKind[kind] === queueName);
}

/** For the queue of wakes, whose jobs are in no table. */
async function oldestInQueueMs(queue: Queue): Promise<number> {
  const [oldest] = await queue.getJobs(['waiting'], 0, 0, true);
  // Removed between the two steps of the question, it may be missing.
  return oldest === undefined ? 0 : Math.max(0, Date.now() - oldest.timestamp);
}
