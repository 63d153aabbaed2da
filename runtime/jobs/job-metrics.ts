/** What the workers of a process do with the jobs that they take from their queues. */
import type { Worker } from 'bullmq';
import { counter, histogram, jobSeconds } from '../tracing/metrics.ts';

/** `later`: handed back to be delivered again, which is no failure. */
export type JobEnd = 'done' | 'failed' | 'later';

const seconds = histogram(
  'hub_job_duration_seconds',
  'How long a worker had a job, by what became of it: done, failed (tried again), or later (handed back).',
  jobSeconds,
  ['queue', 'end'],
);
const retries = counter('hub_job_retries_total', 'Jobs delivered once more after they had failed.', [
  'queue',
]);
const stalled = counter(
  'hub_jobs_stalled_total',
  'Jobs taken from a worker that was not heard of any more, and given to another.',
  ['queue'],
);

export function countJob(queue: string, end: JobEnd, startedAt: number): void {
  seconds.observe({ queue, end }, (performance.now() - startedAt) / 1000);
}

/** Counts the failures and stalls that a worker meets before a handler runs. */
export function watchWorker(worker: Worker, queue: string): void {
  // Told from the first scrape on, so that a first one is an increase.
  stalled.inc({ queue }, 0);
  retries.inc({ queue }, 0);
  worker.on('stalled', () => stalled.inc({ queue }));
  worker.on('active', (job) => {
    if (job.attemptsMade > 0) retries.inc({ queue });
  });
}
