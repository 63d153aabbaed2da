/** The pending work in one queue, according to the jobs table or, for the queue of wakes, to the queue itself. */
import type { Ctx } from '../context.ts';
import { kindsOfQueue } from './queue-names.ts';
import { activeIdsMax, readBacklog } from './read-backlog.ts';

/** What the queue knows and the table does not. */
export interface QueueView {
  /** At most `max` ids of jobs that workers are handling. */
  activeIds(max: number): Promise<readonly string[]>;
  /** How long the oldest waiting job has been in the queue; 0 when none waits. */
  oldestWaitingMs(): Promise<number>;
}

export interface QueueBacklog {
  /** Open jobs; null for a queue whose jobs are in no table. */
  readonly open: number | null;
  /** How long the oldest due job has waited for a worker; 0 when none waits. */
  readonly oldestWaitingMs: number;
}

/** @param view null while Redis is away; no job counts as active then */
export async function readQueueBacklog(
  ctx: Pick<Ctx, 'db' | 'clock'>,
  queueName: string,
  view: QueueView | null,
): Promise<QueueBacklog> {
  const kinds = kindsOfQueue(queueName);
  if (kinds.length === 0) {
    return { open: null, oldestWaitingMs: view === null ? 0 : await view.oldestWaitingMs() };
  }
  const activeIds = view === null ? [] : await view.activeIds(activeIdsMax);
  return readBacklog(ctx, { kinds, activeIds: new Set(activeIds) });
}
