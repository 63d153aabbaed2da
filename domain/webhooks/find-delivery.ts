import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import type { Suspendable } from '../agents/suspension.ts';
import { networkOfAgent } from '../agents/network-of-agent.ts';
import type { WebhookRow } from './webhook-rows.ts';
import type { DeliveryRow } from './webhook-rows.ts';

export interface FoundDelivery {
  readonly delivery: DeliveryRow;
  readonly webhook: WebhookRow;
  /** The network of the agent, for fair sharing of slots. */
  readonly network: string;
  /** The id of the agent that owns the webhook. */
  readonly suspension: Suspendable;
}

/** Finds a delivery with its webhook. Returns null if it does not exist or was pruned. */
export async function findDelivery(db: Database, deliveryId: string): Promise<FoundDelivery | null> {
  const { agents, webhooks, webhookDeliveries } = db.tables;
  const [found] = await db.query
    .select({
      delivery: webhookDeliveries,
      webhook: webhooks,
      network: agents.network,
      suspension: { suspendedAt: agents.suspendedAt, suspendedUntil: agents.suspendedUntil },
    })
    .from(webhookDeliveries)
    .innerJoin(webhooks, eq(webhooks.id, webhookDeliveries.webhookId))
    .innerJoin(agents, eq(agents.id, webhooks.agentId))
    .where(eq(webhookDeliveries.id, deliveryId));
  if (found === undefined) return null;
  return { ...found, network: networkOfAgent(found.network, found.webhook.agentId) };
}
