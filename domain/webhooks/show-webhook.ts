import { and, eq } from 'drizzle-orm';
import { isKeptWebhook } from '#db/schema/index-conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { AgentCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { newestFirst, type Page, type PageInput } from '../paging.ts';
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
export function listWebhooks({ db, agent }: AgentCtx, input: PageInput): Promise<Page<WebhookRow>> {
  const { webhooks } = db.tables;
  const isOwn = and(eq(webhooks.agentId, agent.id), isKeptWebhook(webhooks));
  return newestFirst('webhooks', input, webhooks.id, (isOnPage) =>
    db.query.select().from(webhooks).where(and(isOwn, isOnPage)),
  );
}

interface ListDeliveriesInput extends PageInput {
  readonly webhookId: string;
}

/**
 * Lists the delivery log of one of the acting agent's webhooks, newest first.
 * @throws DomainError not_found; invalid_parameter for a bad cursor
 */
export async function listDeliveries(ctx: AgentCtx, input: ListDeliveriesInput): Promise<Page<DeliveryRow>> {
  const { query, tables } = ctx.db;
  const { webhookDeliveries } = tables;
  const isOfWebhook = eq(webhookDeliveries.webhookId, (await showWebhook(ctx, input)).id);
  return newestFirst('deliveries', input, webhookDeliveries.id, (isOnPage) =>
    query.select().from(webhookDeliveries).where(and(isOfWebhook, isOnPage)),
  );
}

export type WebhookRow = Tables['webhooks']['$inferSelect'];
export type DeliveryRow = Tables['webhookDeliveries']['$inferSelect'];
