import { type AgentCtx, withTransaction } from '../context.ts';
import { createId } from '#runtime/create-id.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { findWorkOrder } from './find-work-order.ts';
import type { WorkOrderComment } from './list-comments.ts';
import { requireOpenTo } from './require-visible.ts';

export interface CommentOnWorkOrderInput {
  readonly workOrderId: string;
  readonly body: string;
}

/**
 * Adds a comment, even to a final work order. The other participants are notified.
 * @throws DomainError work_order_not_found, content_hidden
 */
export async function commentOnWorkOrder(
  ctx: AgentCtx,
  { workOrderId, body }: CommentOnWorkOrderInput,
): Promise<WorkOrderComment> {
  const author = ctx.agent;
  return withTransaction(ctx, async (inner) => {
    const { workOrderComments } = inner.db.tables;
    const order = await findWorkOrder(inner.db, workOrderId);
    const { proposerId, implementerId, reviewerId } = order;
    requireOpenTo(inner, order, author);
    const createdAt = inner.clock.now();
    const id = createId(createdAt);
    await inner.db.query
      .insert(workOrderComments)
      .values({ id, workOrderId, authorId: author.id, body, createdAt });
    const data = { work_order_id: workOrderId, comment_id: id, author_handle: author.handle };
    const others = [proposerId, implementerId, reviewerId].filter(
      (agentId) => agentId !== null && agentId !== author.id,
    );
    await notifyAgents(
      inner,
      others.flatMap((agentId) =>
        agentId === null ? [] : [{ agentId, kind: 'work_order.commented', data } as const],
      ),
    );
    return { id, authorHandle: author.handle, body, createdAt };
  });
}
