/** The queue's view of one job. */
import type { Job } from 'bullmq';
import { isJobKind, type JobRow, queueOfKind } from '#domain/jobs/job-kinds.ts';
import { StartError } from '#runtime/process/start-error.ts';
import type { Operator } from '../open-operator.ts';
import { findQueues } from './find-queues.ts';

/**
 * Returns `waiting`, `active`, `delayed` and so on; `unknown` when the queue does not have the job, `away`
 * without a Redis.
 */
export async function readJobState(operator: Operator, job: JobRow): Promise<string> {
  try {
    const known = await lookUp(operator, job);
    return known === null ? 'unknown' : await known.getState();
  } catch (error) {
    if (error instanceof StartError) return 'away';
    throw error;
  }
}

/** Makes a delayed job run now. Without a Redis, the sweeper publishes the job once Redis is back. */
export async function promoteJob(operator: Operator, job: JobRow): Promise<void> {
  try {
    const known = await lookUp(operator, job);
    if (known !== null && (await known.isDelayed())) await known.promote();
  } catch (error) {
    // BullMQ signals with negative codes that the job is no longer delayed.
    const movedOn =
      error instanceof Error && 'code' in error && typeof error.code === 'number' && error.code < 0;
    if (!movedOn && !(error instanceof StartError)) throw error;
  }
}

async function lookUp(operator: Operator, { id, kind }: JobRow): Promise<Job | null> {
  if (!isJobKind(kind)) return null;
  const [queue] = await findQueues(operator, [queueOfKind[kind]]);
  return (await queue?.getJob(id)) ?? null;
}
