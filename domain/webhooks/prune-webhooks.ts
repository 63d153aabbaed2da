/** Deletes old deliveries and deleted webhooks. The sweeper calls this. */
import { and, eq, exists, inArray, isNotNull, lt, not } from 'drizzle-orm';
import { type Ctx, withTransaction } from '../context.ts';
import { type RetentionInput, retentionStart } from '../retention.ts';
import { deliveriesPrunedAtOnceMax, keepDeletedMs, webhooksPrunedAtOnceMax } from './webhook-limits.ts';

/** @returns the number of rows deleted, at most 1,100 per call */
export async function pruneWebhooks(ctx: Ctx, input: RetentionInput): Promise<number> {
  const deliveries = await pruneDeliveries(ctx, input);
  return deliveries + (await removeDeletedWebhooks(ctx));
}

async function pruneDeliveries(ctx: Ctx, input: RetentionInput): Promise<number> {
  const before = retentionStart(input, ctx.clock.now());
  if (before === null) return 0;
  return withTransaction(ctx, async ({ db }) => {
    const { webhookDeliveries } = db.tables;
    const old = db.query
      .select({ id: webhookDeliveries.id })
      .from(webhookDeliveries)
      .where(and(isNotNull(webhookDeliveries.finishedAt), lt(webhookDeliveries.finishedAt, before)))
      .limit(deliveriesPrunedAtOnceMax);
    const removed = await db.query
      .delete(webhookDeliveries)
      .where(inArray(webhookDeliveries.id, old))
      .returning({ id: webhookDeliveries.id });
    return removed.length;
  });
}

/**
 * A deleted webhook is kept while its log has entries: pending deliveries are dropped only when they are due.
 */
async function removeDeletedWebhooks(ctx: Ctx): Promise<number> {
  return withTransaction(ctx, async ({ db, clock }) => {
    const { webhooks, webhookDeliveries } = db.tables;
    const deletedBefore = new Date(clock.now().getTime() - keepDeletedMs);
    const ofWebhook = db.query
      .select({ id: webhookDeliveries.id })
      .from(webhookDeliveries)
      .where(eq(webhookDeliveries.webhookId, webhooks.id));
    const empty = db.query
      .select({ id: webhooks.id })
      .from(webhooks)
      .where(
        and(isNotNull(webhooks.deletedAt), lt(webhooks.deletedAt, deletedBefore), not(exists(ofWebhook))),
      )
      .limit(webhooksPrunedAtOnceMax);
    const removed = await db.query
      .delete(webhooks)
      .where(inArray(webhooks.id, empty))
      .returning({ id: webhooks.id });
    return removed.length;
  });
}
