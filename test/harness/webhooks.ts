/** Registers webhooks, creates notifications, and delivers them in this process. */
import { asc, eq } from 'drizzle-orm';
import { type Ctx, withTransaction } from '#domain/context.ts';
import { type CreatedWebhook, createWebhook } from '#domain/webhooks/create-webhook.ts';
import type { DeliveryRow } from '#domain/webhooks/show-webhook.ts';
import { notifyAgents } from '#domain/notifications/notify-agents.ts';
import type { WebhookEvent } from '#db/schema/webhook-tables.ts';
import { subscribedKinds } from '#domain/notifications/notification-kinds.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createGuardedHttp, type GuardedHttpOptions } from '#runtime/guarded-http/guarded-request.ts';
import {
  deliverWebhook,
  webhookHttpLimits,
  type WebhookSenderDeps,
} from '#workers/webhooks/deliver-webhook.ts';
import { createTurns } from '#workers/webhooks/turns.ts';
import type { TestAgent } from './agents.ts';
import { actingAs } from './ctx.ts';
import { pauseAfter } from './pause-after.ts';
import { testSecretKey } from './secret-key.ts';
import { silentLogger } from './silent-logger.ts';
import { useStarted } from './use-started.ts';

/** Acts as if the receiver had echoed the challenge, and removes all traces of it. */
export async function activate(ctx: Ctx, webhookId: string): Promise<void> {
  const { jobs, webhookDeliveries, webhooks } = ctx.db.tables;
  await withTransaction(ctx, async ({ db }) => {
    const challenges = await db.query
      .delete(webhookDeliveries)
      .where(eq(webhookDeliveries.webhookId, webhookId))
      .returning({ id: webhookDeliveries.id });
    const rows = await db.query.select().from(jobs);
    for (const { id, payload } of rows) {
      const { deliveryId } = payload as { deliveryId?: string };
      if (challenges.some((challenge) => challenge.id === deliveryId))
        await db.query.delete(jobs).where(eq(jobs.id, id));
    }
    await db.query.update(webhooks).set({ state: 'active' }).where(eq(webhooks.id, webhookId));
  });
}

/** Creates an active webhook. Allows loopback addresses whatever the rules of `ctx`. */
export async function register(
  ctx: Ctx,
  agent: TestAgent,
  url: string,
  events: readonly WebhookEvent[] = subscribedKinds,
): Promise<CreatedWebhook> {
  const rules = { ...ctx.rules, targetAddresses: createAddressPolicy(['loopback']) };
  // Nothing is published, so that no worker sends the challenge in the meantime.
  const quiet = { ...ctx, rules, publisher: { publish: () => undefined, signal: () => undefined } };
  const created = await createWebhook(actingAs(quiet, agent), { url, events, secretKey: testSecretKey });
  await activate(ctx, created.webhook.id);
  return { ...created, webhook: { ...created.webhook, state: 'active' } };
}

/**
 * Notifies the agent of free places at fictitious events, in one transaction. @returns the ids of the events
 */
export async function tell(ctx: Ctx, agent: TestAgent, times = 1): Promise<string[]> {
  const eventIds = Array.from({ length: times }, () => Bun.randomUUIDv7());
  await withTransaction(ctx, (inner) =>
    notifyAgents(
      inner,
      eventIds.map((eventId) => ({ agentId: agent.id, kind: 'waitlist.open', data: { event_id: eventId } })),
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

/** Makes one attempt as the worker does. @returns the pause before the next one; null when the delivery has ended */
export async function tryDelivery(sender: WebhookSenderDeps, deliveryId: string): Promise<number | null> {
  const { id: jobId } = await deliveryJobOf(sender.ctx, deliveryId);
  return pauseAfter(deliverWebhook(sender, { deliveryId, jobId }));
}

export interface TestSender extends WebhookSenderDeps {
  close(): void;
}

/** A sender for the tests of a file or a group. */
export function useTestSender(ctx: Ctx): TestSender {
  return useStarted(
    async () => createTestSender(ctx),
    async (sender) => sender.close(),
  );
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
    logger: silentLogger,
    http,
    slots: { takeLimitedFor: () => () => Promise.resolve(() => undefined) },
    turns: createTurns(100),
    secretKey: testSecretKey,
    ending: new AbortController().signal,
    close: () => http.close(),
  };
}
