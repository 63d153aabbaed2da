/** The queues of a running hub, by their names. */
import type { Queue } from 'bullmq';
import { hubQueuesOf } from '#actors/hub-queues.ts';
import type { Operator } from '../open-operator.ts';

/** @throws StartError when the hub's Redis does not answer */
export async function findQueues(operator: Operator, names: readonly string[]): Promise<readonly Queue[]> {
  const queues = hubQueuesOf(await operator.redis(), operator.logger);
  return queues.filter(({ name }) => names.includes(name));
}
