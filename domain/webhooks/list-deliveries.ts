import { and, desc, eq, lt } from 'drizzle-orm';
import type { AgentCtx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import { showWebhook } from './show-webhook.ts';
import type { DeliveryRow } from './webhook-rows.ts';

export interface ListDeliveriesInput extends PageInput {
  readonly webhookId: string;
}

/**
 * Lists the delivery log of one of the acting agent's webhooks, newest first.
 * @throws DomainError webhook_not_found; invalid_parameter for a bad cursor
 */
export async function listDeliveries(ctx: AgentCtx, input: ListDeliveriesInput): Promise<Page<DeliveryRow>> {
  const { webhookDeliveries } = ctx.db.tables;
  const before = input.cursor === null ? undefined : decodeCursor('deliveries', input.cursor, ['id'])[0];
  const webhook = await showWebhook(ctx, input);
  const rows = await ctx.db.query
    .select()
    .from(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.webhookId, webhook.id),
        before === undefined ? undefined : lt(webhookDeliveries.id, before),
      ),
    )
    .orderBy(desc(webhookDeliveries.id))
    .limit(input.limit + 1);
  return pageOf('deliveries', rows, input.limit, (delivery) => [delivery.id]);
}
