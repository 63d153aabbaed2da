import { and, desc, eq, lt } from 'drizzle-orm';
import { isKeptWebhook } from '#db/schema/index-conditions.ts';
import type { AgentCtx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import type { WebhookRow } from './webhook-rows.ts';

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
