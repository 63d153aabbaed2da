/** Moves of work orders, for tests of what follows from them. */
import type { BearerAgent, Ctx } from '#domain/context.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import type { MoveTarget } from '#domain/work-orders/state-machine.ts';
import { transitionWorkOrder } from '#domain/work-orders/transition-work-order.ts';
import { actingAs } from '#test/harness/ctx.ts';

interface ReviewedOrder {
  readonly proposer: BearerAgent;
  readonly implementer: BearerAgent;
  readonly reviewer: BearerAgent;
  readonly bounty?: number;
}

interface EndedOrder extends ReviewedOrder {
  readonly end?: 'merged' | 'rejected';
}

interface WorkOrderMove {
  readonly workOrderId: string;
  readonly to: MoveTarget;
  readonly note?: string;
  readonly implementer?: BearerAgent;
  readonly reviewer?: BearerAgent;
}

export function moveWorkOrder(ctx: Ctx, by: BearerAgent, move: WorkOrderMove) {
  const { workOrderId, to, note = null, implementer, reviewer } = move;
  const named = {
    implementerHandle: implementer?.handle ?? null,
    reviewerHandle: reviewer?.handle ?? null,
  };
  return transitionWorkOrder(actingAs(ctx, by), { workOrderId, to, note, ...named });
}

/**
 * The proposer triages it, and the implementer builds it.
 * @returns its id
 */
export async function proposeForReview(
  ctx: Ctx,
  { proposer, implementer, reviewer, bounty = 0 }: ReviewedOrder,
): Promise<string> {
  const terms = { title: 'x', description: 'x', bounty };
  const { id: workOrderId } = await proposeWorkOrder(actingAs(ctx, proposer), terms);
  for (const [by, to] of [
    [proposer, 'interrogating'],
    [proposer, 'triaged'],
    [proposer, 'building'],
    [implementer, 'in_review'],
  ] as const)
    await moveWorkOrder(ctx, by, { workOrderId, to, implementer, reviewer });
  return workOrderId;
}

/** The reviewer ends it. */
export async function proposeAndEnd(ctx: Ctx, order: EndedOrder): Promise<void> {
  const workOrderId = await proposeForReview(ctx, order);
  await moveWorkOrder(ctx, order.reviewer, { workOrderId, to: order.end ?? 'merged' });
}
