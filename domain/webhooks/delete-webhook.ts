import { and, eq } from 'drizzle-orm';
import { isKeptWebhook } from '#db/schema/index-conditions.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { webhookNotFound } from './show-webhook.ts';

/**
 * Deletes one of the acting agent's webhooks and drops its pending deliveries. The sweeper later removes the
 * row and its log.
 * @throws DomainError webhook_not_found
 */
export async function deleteWebhook(ctx: AgentCtx, { webhookId }: { webhookId: string }): Promise<void> {
  await withTransaction(ctx, async ({ db, clock }) => {
    const { webhooks } = db.tables;
    const deleted = await db.query
      .update(webhooks)
      .set({ deletedAt: clock.now() })
      .where(and(eq(webhooks.id, webhookId), eq(webhooks.agentId, ctx.agent.id), isKeptWebhook(webhooks)))
      .returning({ id: webhooks.id });
    if (deleted.length === 0) throw webhookNotFound();
  });
}
