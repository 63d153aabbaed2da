/** Forgets deliveries that can no longer be repeated; the sweeper calls it. */
import { inArray, lt } from 'drizzle-orm';
import { type Ctx, withTransaction } from '../context.ts';

/** A delivery is only valid for five minutes, so one this old cannot come again; until then its id is known. */
const keepReceiptsMs = 90 * 24 * 60 * 60 * 1_000;
const receiptsPrunedAtOnceMax = 1_000;

/** @returns how many were removed, at most 1,000 a call */
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
