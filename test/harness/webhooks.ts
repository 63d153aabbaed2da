/** Registers webhooks, creates notifications, and delivers them in this process. */
import { eq } from 'drizzle-orm';
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
import { changeRows, jobAbout, rowsOf } from './rows.ts';
import { testSecretKey } from './secret-key.ts';
import { silentLogger } from './silent-logger.ts';
import { useStarted } from './use-started.ts';

/** Acts as if the receiver had echoed the challenge, and removes all traces of it. */
export async function activate(ctx: Ctx, webhookId: string): Promise<void> {
  const { jobs, webhookDeliveries } = ctx.db.tables;
  for (const { id } of await deliveriesOf(ctx, webhookId)) {
    const job = await deliveryJobOf(ctx, id);
    await withTransaction(ctx, async ({ db }) => {
      await db.query.delete(webhookDeliveries).where(eq(webhookDeliveries.id, id));
      await db.query.delete(jobs).where(eq(jobs.id, job.id));
    });
  }
  await changeRows(ctx, 'webhooks', { id: webhookId }, { state: 'active' });
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
  const told = { agentId: agent.id, kind: 'waitlist.open' } as const;
  const notices = eventIds.map((eventId) => ({ ...told, data: { event_id: eventId } }));
  await withTransaction(ctx, (inner) => notifyAgents(inner, notices));
  return eventIds;
}

/** Oldest first. */
export function deliveriesOf(ctx: Ctx, webhookId: string): Promise<DeliveryRow[]> {
  return rowsOf(ctx, 'webhookDeliveries', { webhookId });
}

/** The job row of a delivery. */
export const deliveryJobOf = (ctx: Ctx, deliveryId: string) => jobAbout(ctx, 'deliveryId', deliveryId);

/** Makes one attempt as the worker does. @returns the pause before the next one; null when the delivery has ended */
export async function tryDelivery(sender: WebhookSenderDeps, deliveryId: string): Promise<number | null> {
  const { id: jobId } = await deliveryJobOf(sender.ctx, deliveryId);
  return pauseAfter(deliverWebhook(sender, { deliveryId, jobId }));
}

export interface TestSender extends WebhookSenderDeps {
  close(): void;
}

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
