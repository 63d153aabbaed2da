/**
 * The payment provider tells of something. Nothing is for sale, so that an order grants nothing (interface.md, behaviour
 * note 4): the delivery is noted, once, which is where a handler of `order.paid` or `customer.state_changed` would go on.
 */
import { type Ctx, withTransaction } from '../context.ts';

export interface ReceivePaymentEventInput {
  /** The provider's name for the delivery, which its repeats have too. */
  readonly webhookId: string;
  /** Such as `order.paid`; null where the payload names none. */
  readonly kind: string | null;
}

/** @returns whether it was new; a repeat does nothing, also when both come at once */
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
