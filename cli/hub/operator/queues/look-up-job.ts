/** One job as its queue knows it. */
import type { Job } from 'bullmq';
import { type JobRow, isJobKind, queueOfKind } from '#domain/jobs/job-kinds.ts';
import { StartError } from '#runtime/process/start-error.ts';
import type { Operator } from '../open-operator.ts';
import { findQueues } from './find-queues.ts';

/** `waiting`, `active`, `delayed` and so on; `unknown` when the queue does not know it, `away` without a Redis. */
export async function readJobState(operator: Operator, job: JobRow): Promise<string> {
  try {
    const known = await lookUp(operator, job);
    return known === null ? 'unknown' : await known.getState();
  } catch (error) {
    if (error instanceof StartError) return 'away';
    throw error;
  }
}

/** Has the queue give out now what it holds back till later. Without a Redis, the pump announces the job to the next one. */
export async function promoteJob(operator: Operator, job: JobRow): Promise<void> {
  try {
    const known = await lookUp(operator, job);
    if (known !== null && (await known.isDelayed())) await known.promote();
  } catch (error) {
    // BullMQ refuses with negative numbers, such as for a job that has moved on meanwhile.
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
