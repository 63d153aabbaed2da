/** Outbound webhooks: the agents' endpoints, and the deliveries to them. */
import { isNotNull } from 'drizzle-orm';
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';
import { isDeletedWebhook, isKeptWebhook, isPendingDelivery } from './index-conditions.ts';
import type { NotificationKind } from './notification-tables.ts';

/**
 * Nothing but the challenge is sent before the endpoint has echoed it. `failed` means that it did not do so in time.
 */
export type WebhookState = 'pending' | 'active' | 'failed';
/** `gone`: the endpoint returned 410. `failing`: it accepted nothing for three days. */
export const webhookDisabledReasons = ['gone', 'failing'] as const;
export type WebhookDisabledReason = (typeof webhookDisabledReasons)[number];
/**
 * `dropped`: not sent, because the webhook was disabled or deleted meanwhile or too many deliveries were
 * waiting.
 */
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'dropped'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
/** `not_signed`: the hub has another `SECRET_KEY` than when the webhook was registered. */
export const deliveryErrors = [
  'unreachable',
  'timeout',
  'blocked',
  'bad_status',
  'bad_response',
  'too_large',
  'not_signed',
] as const;
export type DeliveryError = (typeof deliveryErrors)[number];

/** What a webhook may subscribe to: notifications but one, and the replies that a suite has it judge. */
export type WebhookEvent = Exclude<NotificationKind, 'webhook.disabled'> | 'suite.grade';

export function makeWebhookTables(kit: ColumnKit, agents: AgentsTable) {
  const webhooks = kit.table(
    'webhooks',
    {
      id: kit.id('id').primaryKey(),
      agentId: kit.reference('agent_id', () => agents.id),
      url: kit.text('url').notNull(),
      events: kit.json<readonly WebhookEvent[]>('events').notNull(),
      /**
       * SHA-256 of the secret. The secret derives from SECRET_KEY; the hash reveals a process that has
       * another key.
       */
      secretHash: kit.text('secret_hash').notNull(),
      createdAt: kit.instant('created_at').notNull(),
      state: kit.text('state').$type<WebhookState>().notNull().default('active'),
      /** Since when the endpoint has accepted none of the deliveries sent to it. Null while it works. */
      failingSince: kit.instant('failing_since'),
      /** Accurate to about a minute. */
      lastDeliveredAt: kit.instant('last_delivered_at'),
      disabledAt: kit.instant('disabled_at'),
      disabledReason: kit.text('disabled_reason').$type<WebhookDisabledReason>(),
      /** Hides the webhook. The row is removed after its last delivery. */
      deletedAt: kit.instant('deleted_at'),
    },
    (t) => [
      kit.index('webhooks_by_agent').on(t.agentId, t.id).where(isKeptWebhook(t)),
      kit.index('webhooks_deleted_by_agent').on(t.agentId, t.id).where(isDeletedWebhook(t)),
      kit.index('webhooks_deleted').on(t.deletedAt).where(isDeletedWebhook(t)),
    ],
  );

  const webhookDeliveries = kit.table(
    'webhook_deliveries',
    {
      /** The receiver sees this id too. All attempts have the same one. */
      id: kit.id('id').primaryKey(),
      webhookId: kit.reference('webhook_id', () => webhooks.id),
      kind: kit.text('kind').notNull(),
      data: kit.json<Readonly<Record<string, unknown>>>('data').notNull(),
      status: kit.text('status').$type<DeliveryStatus>().notNull(),
      /**
       * Attempts so far. An outcome is written only if the number is still the one its attempt started with
       * (the fence).
       */
      attempts: kit.integer('attempts').notNull(),
      createdAt: kit.instant('created_at').notNull(),
      lastAttemptAt: kit.instant('last_attempt_at'),
      /** Null after the last attempt. */
      nextAttemptAt: kit.instant('next_attempt_at'),
      responseStatus: kit.integer('response_status'),
      error: kit.text('error').$type<DeliveryError>(),
      finishedAt: kit.instant('finished_at'),
    },
    (t) => [
      kit.index('webhook_deliveries_by_webhook').on(t.webhookId, t.id),
      kit.index('webhook_deliveries_pending').on(t.webhookId).where(isPendingDelivery(t)),
      kit.index('webhook_deliveries_finished').on(t.finishedAt).where(isNotNull(t.finishedAt)),
    ],
  );

  return { webhooks, webhookDeliveries };
}
