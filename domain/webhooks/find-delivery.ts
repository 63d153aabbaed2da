import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import type { WebhookRow } from './create-webhook.ts';
import type { DeliveryRow } from './list-deliveries.ts';

export interface FoundDelivery {
  readonly delivery: DeliveryRow;
  readonly webhook: WebhookRow;
}

/** Finds a delivery with its webhook. Returns null if it does not exist or was pruned. */
export async function findDelivery(db: Database, deliveryId: string): Promise<FoundDelivery | null> {
  const { webhooks, webhookDeliveries } = db.tables;
  const [found] = await db.query
    .select({ delivery: webhookDeliveries, webhook: webhooks })
    .from(webhookDeliveries)
    .innerJoin(webhooks, eq(webhooks.id, webhookDeliveries.webhookId))
    .where(eq(webhookDeliveries.id, deliveryId));
  return found ?? null;
}
