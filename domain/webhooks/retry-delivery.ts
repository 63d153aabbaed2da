/** Sends one of an agent's deliveries again, with the same id and body. */
import { and, eq } from 'drizzle-orm';
import { lockRows } from '#db/transaction.ts';
import { isPendingDelivery } from '#db/schema/index-conditions.ts';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { enqueue } from '../jobs/enqueue.ts';
import { challengeKind } from './challenge.ts';
import { type DeliveryRow, showWebhook, type WebhookRow } from './show-webhook.ts';
import { pendingPerWebhookMax } from './webhook-limits.ts';
import { operation } from '../operation.ts';

export interface RetriedDelivery {
  readonly delivery: DeliveryRow;
  /** False if the delivery was still pending, so that nothing has changed. */
  readonly isSent: boolean;
}

/**
 * A delivery older than the time for retries gets one more attempt.
 * @throws DomainError not_found, conflict
 */
export async function retryDelivery(
  ctx: AgentCtx,
  { webhookId, deliveryId }: { readonly webhookId: string; readonly deliveryId: string },
): Promise<RetriedDelivery> {
  return withTransaction(ctx, async (inner) => {
    const webhook = await showWebhook(inner, { webhookId });
    const { webhookDeliveries } = inner.db.tables;
    const own = and(eq(webhookDeliveries.id, deliveryId), eq(webhookDeliveries.webhookId, webhook.id));
    const [delivery] = await lockRows(inner.db, inner.db.query.select().from(webhookDeliveries).where(own));
    // To send a challenge again, the agent verifies the webhook.
    if (delivery === undefined || delivery.kind === challengeKind) throw deliveryNotFound();
    if (delivery.status === 'pending') return { delivery, isSent: false };
    await requireRoom(inner, webhook);
    const again = { status: 'pending', nextAttemptAt: inner.clock.now(), finishedAt: null } as const;
    await inner.db.query.update(webhookDeliveries).set(again).where(own);
    await enqueue(inner, 'webhook-delivery', { deliveryId });
    return { delivery: { ...delivery, ...again }, isSent: true };
  });
}

/** The worker would drop other deliveries, so they are rejected here. */
async function requireRoom({ db }: TransactionCtx, webhook: WebhookRow): Promise<void> {
  if (webhook.state !== 'active' || webhook.disabledAt !== null) {
    throw new DomainError('conflict', 'This webhook is not active, so nothing is sent to it.', {
      hint: `${operation('verifyWebhook')} sends a challenge; retry the delivery once your endpoint has echoed it.`,
    });
  }
  const { webhookDeliveries } = db.tables;
  const isWaiting = and(eq(webhookDeliveries.webhookId, webhook.id), isPendingDelivery(webhookDeliveries));
  if ((await db.query.$count(webhookDeliveries, isWaiting)) < pendingPerWebhookMax) return;
  throw new DomainError('conflict', `${pendingPerWebhookMax} deliveries to this webhook are waiting.`, {
    hint: 'Make your endpoint respond with 2xx, then retry.',
  });
}

function deliveryNotFound(): DomainError {
  return new DomainError('not_found', 'Your webhook has no delivery with this id.', {
    hint: `${operation('listDeliveries')} lists those that are kept.`,
  });
}
