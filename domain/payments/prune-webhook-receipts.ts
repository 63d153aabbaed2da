/** Deletes receipts of deliveries that can no longer be replayed. The sweeper calls this. */
import { inArray, lt } from 'drizzle-orm';
import { type Ctx, withTransaction } from '../context.ts';

/** A signed delivery is valid for only five minutes, so one this old cannot be replayed. */
const keepReceiptsMs = 90 * 24 * 60 * 60 * 1_000;
const receiptsPrunedAtOnceMax = 1_000;

/** @returns the number of rows deleted, at most 1,000 per call */
export async function pruneWebhookReceipts(ctx: Ctx): Promise<number> {
  return withTransaction(ctx, async ({ db, clock }) => {
    const { webhookReceipts } = db.tables;
    const old = db.query
      .select({ webhookId: webhookReceipts.webhookId })
      .from(webhookReceipts)
      .where(lt(webhookReceipts.receivedAt, new Date(clock.now().getTime() - keepReceiptsMs)))
      .limit(receiptsPrunedAtOnceMax);
    const removed = await db.query
      .delete(webhookReceipts)
      .where(inArray(webhookReceipts.webhookId, old))
      .returning({ webhookId: webhookReceipts.webhookId });
    return removed.length;
  });
}
