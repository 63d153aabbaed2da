/** Makes the open jobs of a queue run now. */
import type { Queue } from 'bullmq';
import { kindsOfQueue } from '#domain/jobs/job-kinds.ts';
import { listOpenJobIds, retriedAtOnceMax, retryJobs } from '#domain/jobs/retry-jobs.ts';
import type { Operator } from '../open-operator.ts';

/** Jobs enqueued meanwhile come last, and must not keep the command running forever. */
const roundsMax = 2_000;

/** @returns the number of open jobs that are now due */
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
