import { and, eq } from 'drizzle-orm';
import { isKeptWebhook } from '#db/schema/index-conditions.ts';
import type { AgentCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import type { WebhookRow } from './webhook-rows.ts';

/**
 * Returns one of the acting agent's webhooks.
 * @throws DomainError webhook_not_found if it is unknown, deleted or belongs to another agent
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
  return new DomainError('webhook_not_found', 'You have no webhook with this id.', {
    hint: 'GET /v1/webhooks lists your webhooks.',
  });
}
