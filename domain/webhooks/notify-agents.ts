/**
 * Enqueues webhook deliveries in the transaction of the event they report, so that a delivery exists if and
 * only if the event is committed. Costs one indexed look-up for any number of notices, and three more
 * statements if an agent subscribes to one of them.
 */
import { and, count, isNull } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import { insertStatement } from '#db/insert-statement.ts';
import { isKeptWebhook, isPendingDelivery } from '#db/schema/index-conditions.ts';
import { createId } from '#runtime/create-id.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import type { TransactionCtx } from '../context.ts';
import { enqueueAll } from '../jobs/enqueue.ts';
import type { WebhookRow } from './create-webhook.ts';
import type { DeliveryRow } from './list-deliveries.ts';
import type { WebhookNotice } from './webhook-kinds.ts';
import { pendingPerWebhookMax } from './webhook-limits.ts';

const insertDeliveries = insertStatement('webhookDeliveries');

export async function notifyAgents(ctx: TransactionCtx, notices: readonly WebhookNotice[]): Promise<void> {
  if (notices.length === 0) return;
  const { webhooks } = ctx.db.tables;
  const agentIds = [...new Set(notices.map(({ agentId }) => agentId))];
  const live = await ctx.db.query
    .select({ id: webhooks.id, agentId: webhooks.agentId, events: webhooks.events })
    .from(webhooks)
    .where(
      and(inList(ctx.db, webhooks.agentId, agentIds), isNull(webhooks.disabledAt), isKeptWebhook(webhooks)),
    );
  if (live.length === 0) return;
  const ofAgent = Map.groupBy(live, ({ agentId }) => agentId);
  const wanted = notices.flatMap((notice) =>
    (ofAgent.get(notice.agentId) ?? [])
      .filter(({ events }) => events.includes(notice.kind))
      .map(({ id }) => ({ webhookId: id, kind: notice.kind, data: notice.data })),
  );
  await enqueueDeliveries(ctx, wanted);
}

export interface WantedDelivery {
  readonly webhookId: WebhookRow['id'];
  readonly kind: string;
  readonly data: DeliveryRow['data'];
}

/** Adds deliveries and their jobs. Deliveries above the limit per webhook are logged as dropped. */
export async function enqueueDeliveries(
  ctx: TransactionCtx,
  wanted: readonly WantedDelivery[],
): Promise<void> {
  if (wanted.length === 0) return;
  const now = ctx.clock.now();
  const waiting = await countPending(ctx, wanted);
  const rows = wanted.map((delivery) => {
    const before = waiting.get(delivery.webhookId) ?? 0;
    waiting.set(delivery.webhookId, before + 1);
    const isTaken = before < pendingPerWebhookMax;
    return {
      ...delivery,
      id: createId(now),
      status: isTaken ? ('pending' as const) : ('dropped' as const),
      attempts: 0,
      createdAt: now,
      lastAttemptAt: null,
      nextAttemptAt: isTaken ? now : null,
      responseStatus: null,
      error: null,
      finishedAt: isTaken ? null : now,
    };
  });
  await insertDeliveries(ctx.db, rows);
  crashPoint('notices.written');
  await enqueueAll(
    ctx,
    'webhook-delivery',
    rows.filter(({ status }) => status === 'pending').map(({ id }) => ({ deliveryId: id })),
  );
}

async function countPending(
  { db }: TransactionCtx,
  wanted: readonly WantedDelivery[],
): Promise<Map<string, number>> {
  const { webhookDeliveries } = db.tables;
  const webhookIds = [...new Set(wanted.map(({ webhookId }) => webhookId))];
  const counts = await db.query
    .select({ webhookId: webhookDeliveries.webhookId, pending: count() })
    .from(webhookDeliveries)
    .where(and(inList(db, webhookDeliveries.webhookId, webhookIds), isPendingDelivery(webhookDeliveries)))
    .groupBy(webhookDeliveries.webhookId);
  return new Map(counts.map(({ webhookId, pending }) => [webhookId, pending]));
}
