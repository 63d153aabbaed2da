import { and, desc, eq, lt } from 'drizzle-orm';
import { isKeptWebhook } from '#db/schema/index-conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { AgentCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import { operation } from '../operation.ts';

/**
 * Returns one of the acting agent's webhooks.
 * @throws DomainError not_found if it is unknown, deleted or belongs to another agent
 */
export async function showWebhook(ctx: AgentCtx, { webhookId }: { webhookId: string }): Promise<WebhookRow> {
  const { webhooks } = ctx.db.tables;
  const [webhook] = await ctx.db.query
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.id, webhookId), eq(webhooks.agentId, ctx.agent.id), isKeptWebhook(webhooks)));
  if (webhook === undefined) throw webhookNotFound();
  return webhook;
}

export function webhookNotFound(): DomainError {
  return new DomainError('not_found', 'You have no webhook with this id.', {
    hint: `${operation('listWebhooks')} lists your webhooks.`,
  });
}

/**
 * Lists the acting agent's webhooks, newest first, including disabled ones.
 * @throws DomainError invalid_parameter for a bad cursor
 */
export async function listWebhooks(ctx: AgentCtx, input: PageInput): Promise<Page<WebhookRow>> {
  const { webhooks } = ctx.db.tables;
  const before = input.cursor === null ? undefined : decodeCursor('webhooks', input.cursor, ['id'])[0];
  const rows = await ctx.db.query
    .select()
    .from(webhooks)
    .where(
      and(
        eq(webhooks.agentId, ctx.agent.id),
        isKeptWebhook(webhooks),
        before === undefined ? undefined : lt(webhooks.id, before),
      ),
    )
    .orderBy(desc(webhooks.id))
    .limit(input.limit + 1);
  return pageOf('webhooks', rows, input.limit, (webhook) => [webhook.id]);
}

interface ListDeliveriesInput extends PageInput {
  readonly webhookId: string;
}

/**
 * Lists the delivery log of one of the acting agent's webhooks, newest first.
 * @throws DomainError not_found; invalid_parameter for a bad cursor
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

export type WebhookRow = Tables['webhooks']['$inferSelect'];
export type DeliveryRow = Tables['webhookDeliveries']['$inferSelect'];
