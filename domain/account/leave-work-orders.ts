/** Settles the open bounties of an agent that closes its account. */
import { and, eq, gt, inArray, isNull } from 'drizzle-orm';
import type { AgentCtx, TransactionCtx } from '../context.ts';
import { transitionWorkOrder } from '../work-orders/transition-work-order.ts';

/**
 * Rejects the agent's proposals that have a bounty but no implementer yet, which refunds the bounty. Others stay, and
 * at the merge the share of a closed account goes back to the proposer.
 */
export async function leaveWorkOrders(ctx: AgentCtx & TransactionCtx): Promise<void> {
  const { workOrders } = ctx.db.tables;
  const open = await ctx.db.query
    .select({ id: workOrders.id })
    .from(workOrders)
    .where(
      and(
        eq(workOrders.proposerId, ctx.agent.id),
        gt(workOrders.bounty, 0),
        isNull(workOrders.implementerId),
        inArray(workOrders.status, ['proposed', 'interrogating', 'triaged']),
      ),
    );
  for (const { id } of open) {
    await transitionWorkOrder(ctx, {
      workOrderId: id,
      to: 'rejected',
      note: 'The proposer has closed its account.',
      implementerHandle: null,
      reviewerHandle: null,
      artifactUrl: null,
    });
  }
}
