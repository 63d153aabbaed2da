/** Every queue of the hub. */
import { type JobKind, queueOfKind } from './job-kinds.ts';

/** The queue that wakes actors. Its jobs are not rows of the jobs table: a lost wake is sent again. */
export const wakeQueue = 'actor-wakes';

/** The queues of jobs first. */
export const queueNames: readonly string[] = [...new Set<string>(Object.values(queueOfKind)), wakeQueue];

/** The kinds of jobs in a queue; none for the queue of wakes. */
export function kindsOfQueue(queueName: string): readonly JobKind[] {
  // `queueOfKind` has exactly the kinds as keys.
  return (Object.keys(queueOfKind) as JobKind[]).filter((kind) => queueOfKind[kind] === queueName);
}
