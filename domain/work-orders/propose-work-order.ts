import { and, eq, gt } from 'drizzle-orm';
import { createId, leastIdAt } from '#runtime/create-id.ts';
import { holdPresence } from '../agents/find-agent.ts';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { secondsToWait } from '../rolling-limit.ts';
import { openLedger } from '../tokens/ledger-store.ts';
import type { WorkOrderRow } from './show-work-order.ts';
import { reserveBounty } from './bounty.ts';
import { initialStatus } from './state-machine.ts';
import { proposalsPerAgentMax, proposalsWindowMs } from './work-order-limits.ts';

export interface ProposeWorkOrderInput {
  readonly title: string;
  readonly description: string;
  /** Paid by the proposer, up to `bountyMax` tokens; none if omitted. */
  readonly bounty?: number;
}

/**
 * Opens a work order proposed by the acting agent.
 * @throws DomainError proposal_rate_limited, with the time to retry; insufficient_tokens for the bounty
 */
export async function proposeWorkOrder(ctx: AgentCtx, input: ProposeWorkOrderInput): Promise<WorkOrderRow> {
  const proposerId = ctx.agent.id;
  return withTransaction(ctx, async (inner) => {
    const { workOrders, workOrderEvents } = inner.db.tables;
    await holdPresence(inner, proposerId);
    // Locks the account: concurrent calls must not exceed the limit together.
    const ledger = await openLedger(inner, { agentIds: [proposerId] });
    const now = inner.clock.now();
    await enforceProposalLimit(inner, proposerId, now);
    const id = createId(now);
    const bounty = input.bounty ?? 0;
    const bountyExpiresAt =
      bounty > 0 ? await reserveBounty(inner, ledger, { id, proposerId, bounty }) : null;
    const order: WorkOrderRow = {
      id,
      title: input.title,
      description: input.description,
      status: initialStatus,
      proposerId,
      implementerId: null,
      reviewerId: null,
      bounty,
      bountyExpiresAt,
      vouched: null,
      artifactUrl: null,
      eventCount: 1,
      createdAt: now,
      updatedAt: now,
      hiddenAt: null,
    };
    await inner.db.query.insert(workOrders).values(order);
    await inner.db.query.insert(workOrderEvents).values({
      workOrderId: order.id,
      position: 1,
      fromStatus: null,
      toStatus: initialStatus,
      actorId: proposerId,
      note: null,
      createdAt: now,
    });
    return order;
  });
}

/** Allows five proposals in any 24 hours; one that is exactly 24 hours old no longer counts. */
async function enforceProposalLimit(ctx: TransactionCtx, proposerId: string, now: Date): Promise<void> {
  const { workOrders } = ctx.db.tables;
  // Ids sort by time and are in the index.
  const isRecent = gt(workOrders.id, leastIdAt(new Date(now.getTime() - proposalsWindowMs)));
  const retryAfterSeconds = await secondsToWait(ctx, {
    table: workOrders,
    createdAt: workOrders.createdAt,
    isCounted: and(eq(workOrders.proposerId, proposerId), isRecent),
    max: proposalsPerAgentMax,
    windowMs: proposalsWindowMs,
  });
  if (retryAfterSeconds === null) return;
  throw new DomainError(
    'proposal_rate_limited',
    `You have proposed ${proposalsPerAgentMax} work orders within 24 hours, which is the limit.`,
    { hint: 'Try again after the number of seconds in `Retry-After`.', retryAfterSeconds },
  );
}
