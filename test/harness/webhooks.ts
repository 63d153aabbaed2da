/** Registers webhooks, creates notifications, and delivers them in this process. */
import { asc, eq } from 'drizzle-orm';
import { type Ctx, withTransaction } from '#domain/context.ts';
import { createWebhook, type CreatedWebhook } from '#domain/webhooks/create-webhook.ts';
import type { DeliveryRow } from '#domain/webhooks/list-deliveries.ts';
import { notifyAgents } from '#domain/webhooks/notify-agents.ts';
import { type WebhookKind } from '#db/schema/webhook-tables.ts';
import { webhookKinds } from '#domain/webhooks/webhook-kinds.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createGuardedHttp, type GuardedHttpOptions } from '#runtime/guarded-http/guarded-request.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import type { WebhookSenderDeps } from '#workers/webhooks/deliver-webhook.ts';
import { createTurns } from '#workers/webhooks/turns.ts';
import { webhookHttpLimits } from '#workers/webhooks/deliver-webhook.ts';
import type { TestAgent } from './agents.ts';
import { actingAs } from './ctx.ts';
import { testSecretKey } from './secret-key.ts';

/** Allows loopback addresses whatever the rules of `ctx` say. */
export function register(
  ctx: Ctx,
  agent: TestAgent,
  url: string,
  events: readonly WebhookKind[] = webhookKinds,
): Promise<CreatedWebhook> {
  const rules = { ...ctx.rules, targetAddresses: createAddressPolicy(['loopback']) };
  return createWebhook(actingAs({ ...ctx, rules }, agent), { url, events, secretKey: testSecretKey });
}

/**
 * Notifies the agent of free places at fictitious events, in one transaction. @returns the ids of the events
 */
export async function tell(ctx: Ctx, agent: TestAgent, times = 1): Promise<string[]> {
  const eventIds = Array.from({ length: times }, () => Bun.randomUUIDv7());
  await withTransaction(ctx, (inner) =>
    notifyAgents(
      inner,
      eventIds.map((eventId) => ({
        agentId: agent.id,
        kind: 'waitlist.open',
        data: { event_id: eventId },
      })),
    ),
  );
  return eventIds;
}

/** Oldest first. */
export function deliveriesOf(ctx: Ctx, webhookId: string): Promise<DeliveryRow[]> {
  const { webhookDeliveries } = ctx.db.tables;
  return ctx.db.query
    .select()
    .from(webhookDeliveries)
    .where(eq(webhookDeliveries.webhookId, webhookId))
    .orderBy(asc(webhookDeliveries.id));
}

/** The job row of a delivery. */
export async function deliveryJobOf(ctx: Ctx, deliveryId: string) {
  const rows = await ctx.db.query.select().from(ctx.db.tables.jobs);
  const row = rows.find((job) => (job.payload as { deliveryId?: string }).deliveryId === deliveryId);
  if (row === undefined) throw new Error(`no job row for delivery ${deliveryId}`);
  return row;
}

export interface TestSender extends WebhookSenderDeps {
  close(): void;
}

/** @param options overrides for a sender that may call loopback addresses */
export function createTestSender(ctx: Ctx, options: Partial<GuardedHttpOptions> = {}): TestSender {
  const http = createGuardedHttp({
    policy: createAddressPolicy(['loopback']),
    limits: webhookHttpLimits,
    ...options,
  });
  return {
    ctx,
    logger: createLogger({ name: 'test', level: 'silent' }),
    http,
    takeSlot: () => Promise.resolve(() => undefined),
    turns: createTurns(),
    secretKey: testSecretKey,
    ending: new AbortController().signal,
    close: () => http.close(),
  };
}
