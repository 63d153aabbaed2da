/**
 * Records an event from the payment provider. The hub sells nothing, so an order grants nothing: the event is
 * recorded once. A handler of `order.paid` or `customer.state_changed` would go here.
 */
import { type Ctx, withTransaction } from '../context.ts';

export interface ReceivePaymentEventInput {
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
