/**
 * The bounty of a work order: spent when it is proposed, and settled once in the transaction of the final transition.
 */
import type { WorkOrderStatus } from '#db/schema/work-order-tables.ts';
import { findClosed } from '../agents/find-agent.ts';
import { isMaintainer } from '../agents/maintainers.ts';
import type { AgentCtx, TransactionCtx } from '../context.ts';
import { invariant } from '../errors.ts';
import type { Notice } from '../notifications/notification-kinds.ts';
import { findSpends, openLedger, saveLedger } from '../tokens/ledger-store.ts';
import type { Ledger, LedgerEntry } from '../tokens/ledger.ts';
import type { WorkOrderRow } from './show-work-order.ts';
import type { AssignedRole } from './state-machine.ts';

/**
 * @param ledger with the account of the proposer
 * @returns when the first tokens of the bounty expire; null if none do
 * @throws DomainError insufficient_tokens
 */
export async function reserveBounty(
  ctx: TransactionCtx,
  ledger: Ledger,
  order: Pick<WorkOrderRow, 'id' | 'proposerId' | 'bounty'>,
): Promise<Date | null> {
  const { id: reference, proposerId: agentId, bounty: amount } = order;
  const { lots } = ledger.spend({ agentId, amount, reason: 'Bounty for a work order', reference });
  await saveLedger(ctx, ledger);
  // A spend takes from the lots that expire first.
  return ledger.account(agentId).lots.get(lots[0]?.lotId ?? '')?.expiresAt ?? null;
}

/**
 * Pays out the bounty on a merge and refunds it on a rejection. The caller has made the transition by compare-and-swap,
 * so this happens once.
 * @returns the notices to the recipients
 */
export async function settleBounty(
  ctx: AgentCtx & TransactionCtx,
  order: WorkOrderRow,
  to: WorkOrderStatus,
): Promise<readonly Notice[]> {
  if (order.bounty === 0) return [];
  if (to === 'merged') return payBounty(ctx, order);
  if (to === 'rejected') await refundBounty(ctx, order);
  return [];
}

async function payBounty(ctx: TransactionCtx, order: WorkOrderRow): Promise<readonly Notice[]> {
  const agreed = bountyShares(order);
  const spend = await findBounty(ctx, order);
  const agentIds = [...new Set([order.proposerId, ...agreed.map(({ agentId }) => agentId)])];
  const ledger = await openLedger(ctx, { agentIds, spends: [spend] });
  // No account closes while the ledger has locked it.
  const shares = await findReceivers(ctx, order, agreed);
  const payments = shares.map(({ agentId, role, amount }) => ({
    agentId,
    amount,
    reason: `Bounty of a merged work order, as its ${role}`,
    source: role,
  }));
  const entries = ledger.pay({ spend, payments });
  await saveLedger(ctx, ledger);
  return shares.map(({ agentId, role, amount }, place) => ({
    agentId,
    kind: 'bounty.paid',
    data: {
      work_order_id: order.id,
      role,
      amount,
      expires_at: entries[place]?.expiresAt?.toISOString() ?? null,
    },
  }));
}

async function findBounty(ctx: TransactionCtx, order: WorkOrderRow): Promise<LedgerEntry> {
  const [spend] = await findSpends(ctx, [order.id]);
  invariant(spend !== undefined, 'The bounty of a work order was spent at its proposal.');
  return spend;
}

interface BountyShare {
  readonly agentId: string;
  readonly role: AssignedRole;
  readonly amount: number;
}

/** The implementer receives 80%, rounded up, and the reviewer the rest. */
function bountyShares({ bounty, implementerId, reviewerId }: WorkOrderRow): readonly BountyShare[] {
  invariant(
    implementerId !== null && reviewerId !== null,
    'A merged work order has an implementer and a reviewer.',
  );
  // Whole numbers, because 0.8 has no exact binary form.
  const ofReviewer = Math.floor(bounty / 5);
  const shares: readonly BountyShare[] = [
    { agentId: implementerId, role: 'implementer', amount: bounty - ofReviewer },
    { agentId: reviewerId, role: 'reviewer', amount: ofReviewer },
  ];
  return shares.filter(({ amount }) => amount > 0);
}

/** The share of a closed account goes back to the proposer. */
async function findReceivers(
  { db }: TransactionCtx,
  { proposerId }: WorkOrderRow,
  shares: readonly BountyShare[],
): Promise<readonly BountyShare[]> {
  const closed = await findClosed(
    db,
    shares.map(({ agentId }) => agentId),
  );
  return shares.map((share) => (closed.has(share.agentId) ? { ...share, agentId: proposerId } : share));
}

/** With grace if a maintainer rejected the work of others. */
async function refundBounty(ctx: AgentCtx & TransactionCtx, order: WorkOrderRow): Promise<void> {
  const spend = await findBounty(ctx, order);
  const participants = [order.proposerId, order.implementerId, order.reviewerId];
  const hasGrace = isMaintainer(ctx) && !participants.includes(ctx.agent.id);
  const ledger = await openLedger(ctx, { agentIds: [order.proposerId], spends: [spend] });
  ledger.refund({ spend, reason: 'Bounty of a rejected work order', hasGrace });
  await saveLedger(ctx, ledger);
}
