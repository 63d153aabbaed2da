/** Has the open jobs of a queue tried now. */
import type { Queue } from 'bullmq';
import { kindsOfQueue } from '#domain/jobs/queue-names.ts';
import { listOpenJobIds } from '#domain/jobs/list-open-job-ids.ts';
import { retriedAtOnceMax, retryJobs } from '#domain/jobs/retry-jobs.ts';
import type { Operator } from '../open-operator.ts';

/** What is promised meanwhile comes last in line, and must not keep a command going for ever. */
const roundsMax = 2_000;

/** @returns how many jobs are open, and due now */
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
    // Before any is given out: a job that is done by then would be announced once more, for nothing.
    await operator.announce();
    after = last;
  }
  // Those that the queue holds back till later; whoever takes one up finds in the store that it is due.
  await queue.promoteJobs();
  return retried;
}
