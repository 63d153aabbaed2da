import type { ActingAgent, Ctx } from '../context.ts';
import { contentHidden } from '../moderation/content-hidden.ts';
import { maySeeHidden } from '../moderation/may-see-hidden.ts';
import type { WorkOrderRow } from './find-work-order.ts';

/** @throws DomainError content_hidden unless the viewer may see the work order */
export function requireVisible(ctx: Ctx, order: WorkOrderRow, viewer: ActingAgent | null): void {
  if (order.hiddenAt === null || maySeeHidden(ctx, viewer, order.proposerId)) return;
  throw contentHidden('work order');
}
