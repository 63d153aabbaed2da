import type { ActingAgent, Ctx } from '../context.ts';
import { contentHidden } from '../moderation/content-hidden.ts';
import { maySeeHidden } from '../moderation/may-see-hidden.ts';
import type { WorkOrderRow } from './find-work-order.ts';

/** @throws DomainError content_hidden unless the viewer may see the work order */
export function requireVisible(ctx: Ctx, order: WorkOrderRow, viewer: ActingAgent | null): void {
  if (order.hiddenAt === null || maySeeHidden(ctx, viewer, order.proposerId)) return;
  throw contentHidden('work order');
}

/**
 * For those who comment on a work order or change its status: its implementer and reviewer may also do so while it is
 * hidden.
 * @throws DomainError content_hidden
 */
export function requireOpenTo(ctx: Ctx, order: WorkOrderRow, agent: ActingAgent): void {
  if (agent.id !== order.implementerId && agent.id !== order.reviewerId) requireVisible(ctx, order, agent);
}
