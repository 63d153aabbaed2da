/**
 * Records an event from the payment provider. The hub sells nothing, so an order grants nothing: the event is
 * recorded once. A handler of `order.paid` or `customer.state_changed` would go here.
 */
import { inArray, lt } from 'drizzle-orm';
import { type Ctx, withTransaction } from '../context.ts';

interface ReceivePaymentEventInput {
  /** The provider's id of the delivery, the same for retries. */
  readonly webhookId: string;
  /** For example `order.paid`; null if the payload has no type. */
  readonly kind: string | null;
}

/** @returns true if the event was new; a retry has no effect, even when it arrives concurrently */
export async function receivePaymentEvent(ctx: Ctx, input: ReceivePaymentEventInput): Promise<boolean> {
  return withTransaction(ctx, async ({ db, clock }) => {
    const { webhookReceipts } = db.tables;
    const noted = await db.query
      .insert(webhookReceipts)
      .values({ webhookId: input.webhookId, kind: input.kind, receivedAt: clock.now() })
      .onConflictDoNothing()
      .returning({ webhookId: webhookReceipts.webhookId });
    return noted.length === 1;
  });
}

/** A signed delivery is valid for only five minutes, so one this old cannot be replayed. */
const keepReceiptsMs = 90 * 24 * 60 * 60 * 1_000;
const receiptsPrunedAtOnceMax = 1_000;

/**
 * Deletes receipts of deliveries that can no longer be replayed. The sweeper calls this.
 * @returns the number of rows deleted, at most 1,000 per call
 */
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
