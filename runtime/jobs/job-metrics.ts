/** Metrics of the jobs that the workers of a process handle. */
import type { Worker } from 'bullmq';
import { counter, histogram, jobSeconds } from '../tracing/metrics.ts';

/** `later`: returned to the queue to be delivered again, which is not a failure. */
export type JobEnd = 'done' | 'failed' | 'later';

const seconds = histogram(
  'hub_job_duration_seconds',
  'Duration of a job in a worker, by outcome: done, failed (retried), or later (returned to the queue).',
  jobSeconds,
  ['queue', 'end'],
);
const retries = counter('hub_job_retries_total', 'Jobs delivered again after a failure.', ['queue']);
const stalled = counter(
  'hub_jobs_stalled_total',
  'Jobs taken from a worker that stopped responding, and given to another.',
  ['queue'],
);

export function countJob(queue: string, end: JobEnd, startedAt: number): void {
  seconds.observe({ queue, end }, (performance.now() - startedAt) / 1000);
}

/** Counts retries and stalls, which happen outside the handler. */
export function watchWorker(worker: Worker, queue: string): void {
  // Present from the first scrape on, so that the first one shows as an increase.
  stalled.inc({ queue }, 0);
  retries.inc({ queue }, 0);
  worker.on('stalled', () => stalled.inc({ queue }));
  worker.on('active', (job) => {
    if (job.attemptsMade > 0) retries.inc({ queue });
  });
}
