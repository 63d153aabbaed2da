/**
 * Enqueues webhook deliveries in the transaction of the event they report, so that a delivery exists if and
 * only if the event is committed.
 */
import { and, count, eq, isNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { inList } from '#db/conditions.ts';
import { insertStatement } from '#db/prepared.ts';
import { isKeptWebhook, isPendingDelivery } from '#db/schema/index-conditions.ts';
import { createId } from '#runtime/create-id.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { networkOfAgent } from '#runtime/turns/turns.ts';
import { isSuspended, type Suspendable } from '../agents/token-bearers.ts';
import type { TransactionCtx } from '../context.ts';
import { enqueueAll } from '../jobs/enqueue.ts';
import { disabledKind, type Notice } from '../notifications/notification-kinds.ts';
import { challengeKind } from './challenge.ts';
import type { DeliveryRow, WebhookRow } from './show-webhook.ts';
import { pendingPerWebhookMax } from './webhook-limits.ts';

const insertDeliveries = insertStatement('webhookDeliveries');

/**
 * Adds deliveries of the notices to the webhooks that subscribe to their kind. Costs one indexed lookup, and
 * three more statements if there are any.
 */
export async function deliverNotices(ctx: TransactionCtx, notices: readonly Notice[]): Promise<void> {
  const { agents, webhooks } = ctx.db.tables;
  const now = ctx.clock.now();
  const agentIds = [...new Set(notices.map(({ agentId }) => agentId))];
  const live = await ctx.db.query
    .select({
      id: webhooks.id,
      agentId: webhooks.agentId,
      events: webhooks.events,
      suspension: { suspendedAt: agents.suspendedAt, suspendedUntil: agents.suspendedUntil },
    })
    .from(webhooks)
    .innerJoin(agents, eq(agents.id, webhooks.agentId))
    .where(
      and(
        inList(ctx.db, webhooks.agentId, agentIds),
        eq(webhooks.state, 'active'),
        isNull(webhooks.disabledAt),
        isKeptWebhook(webhooks),
      ),
    );
  if (live.length === 0) return;
  const ofAgent = Map.groupBy(live, ({ agentId }) => agentId);
  const wanted = notices.flatMap((notice) =>
    (ofAgent.get(notice.agentId) ?? [])
      .filter(
        ({ events, suspension }) =>
          (notice.kind === disabledKind || events.includes(notice.kind)) &&
          !isPaused(suspension, notice.kind, now),
      )
      .map(({ id }) => ({ webhookId: id, kind: notice.kind, data: notice.data })),
  );
  await enqueueDeliveries(ctx, wanted);
}

interface WantedDelivery {
  readonly webhookId: WebhookRow['id'];
  readonly kind: string;
  readonly data: DeliveryRow['data'];
}

/** Adds deliveries and their jobs. Deliveries above the limit per webhook are logged as dropped, except challenges. */
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
    // A webhook has one challenge at a time.
    const isTaken = before < pendingPerWebhookMax || delivery.kind === challengeKind;
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

/**
 * The webhooks of a suspended agent receive nothing, except for the notice of the suspension itself. Whatever happens
 * in the meantime is in the agent's feed.
 */
export function isPaused(suspension: Suspendable, kind: string, now: Date): boolean {
  return kind !== 'moderation.suspended' && isSuspended(suspension, now);
}

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
