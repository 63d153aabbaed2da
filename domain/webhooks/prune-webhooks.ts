/** Deletes old deliveries and deleted webhooks. */
import { and, exists, isNotNull, lt, not, eq } from 'drizzle-orm';
import type { Ctx } from '../context.ts';
import { pruneAfter, pruneRows, type RetentionInput } from '../retention.ts';
import { keepDeletedMs } from './webhook-limits.ts';

/** @returns the number of rows deleted, at most 2,000 per call */
export async function pruneWebhooks(ctx: Ctx, input: RetentionInput): Promise<number> {
  const deliveries = await pruneAfter(ctx, input, ({ webhookDeliveries }, before) => ({
    table: webhookDeliveries,
    id: webhookDeliveries.id,
    isOld: and(isNotNull(webhookDeliveries.finishedAt), lt(webhookDeliveries.finishedAt, before)),
  }));
  // A deleted webhook is kept while its log has entries: pending deliveries are dropped only when they are due.
  const deleted = await pruneRows(ctx, ({ webhooks, webhookDeliveries }, before) => {
    const ofWebhook = ctx.db.query
      .select({ id: webhookDeliveries.id })
      .from(webhookDeliveries)
      .where(eq(webhookDeliveries.webhookId, webhooks.id));
    const isGone = and(isNotNull(webhooks.deletedAt), lt(webhooks.deletedAt, before(keepDeletedMs)));
    return { table: webhooks, id: webhooks.id, isOld: and(isGone, not(exists(ofWebhook))) };
  });
  return deliveries + deleted;
}
