/** A work order from its proposal to its end, for tests of what follows from it. */
import type { Ctx } from '#domain/context.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import { transitionWorkOrder } from '#domain/work-orders/transition-work-order.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';

interface EndedOrder {
  readonly proposer: TestAgent;
  readonly implementer: TestAgent;
  readonly reviewer: TestAgent;
  readonly bounty?: number;
  readonly end?: 'merged' | 'rejected';
}

/** The proposer triages it, the implementer builds it, and the reviewer ends it. */
export async function proposeAndEnd(
  ctx: Ctx,
  { proposer, implementer, reviewer, bounty = 0, end = 'merged' }: EndedOrder,
): Promise<void> {
  const terms = { title: 'x', description: 'x', bounty };
  const { id: workOrderId } = await proposeWorkOrder(actingAs(ctx, proposer), terms);
  const named = { implementerHandle: implementer.handle, reviewerHandle: reviewer.handle };
  for (const [by, to] of [
    [proposer, 'interrogating'],
    [proposer, 'triaged'],
    [proposer, 'building'],
    [implementer, 'in_review'],
    [reviewer, end],
  ] as const)
    await transitionWorkOrder(actingAs(ctx, by), { workOrderId, to, note: null, ...named });
}
