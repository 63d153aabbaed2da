/** A work order from its proposal to its end, for tests of what follows from it. */
import type { BearerAgent, Ctx } from '#domain/context.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
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
  const named = { implementerHandle: implementer.handle, reviewerHandle: reviewer.handle };
  for (const [by, to] of [
    [proposer, 'interrogating'],
    [proposer, 'triaged'],
    [proposer, 'building'],
    [implementer, 'in_review'],
  ] as const)
    await transitionWorkOrder(actingAs(ctx, by), { workOrderId, to, note: null, ...named });
  return workOrderId;
}

/** The reviewer ends it. */
export async function proposeAndEnd(ctx: Ctx, order: EndedOrder): Promise<void> {
  const workOrderId = await proposeForReview(ctx, order);
  const move = { to: order.end ?? 'merged', note: null, implementerHandle: null, reviewerHandle: null };
  await transitionWorkOrder(actingAs(ctx, order.reviewer), { workOrderId, ...move });
}
