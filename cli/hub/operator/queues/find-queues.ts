/** Opens queues of a running hub by name. */
import type { Queue } from 'bullmq';
import { queueNames } from '#domain/jobs/job-kinds.ts';
import { openQueues } from '#runtime/jobs/inspect-queue.ts';
import type { Operator } from '../open-operator.ts';

/** @throws StartError when the hub's Redis does not respond */
export async function findQueues(operator: Operator, names: readonly string[]): Promise<readonly Queue[]> {
  return openQueues(
    await operator.redis(),
    queueNames.filter((name) => names.includes(name)),
    operator.logger,
  );
}
