/** The pending work in each queue, for maintainers. */
import { requireMaintainer } from '../agents/require-maintainer.ts';
import type { AgentCtx } from '../context.ts';
import { queueNames } from '../jobs/queue-names.ts';
import { readQueueBacklog } from '../jobs/read-queue-backlog.ts';

export interface QueueHealth {
  readonly name: string;
  /** Open jobs; null for a queue whose jobs are in no table. */
  readonly open: number | null;
  /** How long the oldest due job has been waiting, according to its row. */
  readonly oldestWaitingMs: number;
}

/** @throws DomainError maintainer_only */
export async function readHealth(ctx: AgentCtx): Promise<readonly QueueHealth[]> {
  requireMaintainer(ctx);
  return Promise.all(
    queueNames.map(async (name) => ({ name, ...(await readQueueBacklog(ctx, name, null)) })),
  );
}
