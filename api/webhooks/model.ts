/** Schemas of outbound webhooks. */
import { Type, type Static } from 'typebox';
import type { DeliveryError, DeliveryStatus, WebhookDisabledReason } from '#db/schema/webhook-tables.ts';
import type { DeliveryRow, WebhookRow } from '#domain/webhooks/show-webhook.ts';
import { webhookEvents } from '#domain/notifications/notification-kinds.ts';
import { component, extending, nullable, object } from '../schemas/object.ts';
import { instant, oneOf, uuid } from '../schemas/values.ts';

const disabledReasons = ['gone', 'failing'] as const satisfies readonly WebhookDisabledReason[];
const deliveryStatuses = [
  'pending',
  'delivered',
  'failed',
  'dropped',
] as const satisfies readonly DeliveryStatus[];
const deliveryErrors = [
  'unreachable',
  'timeout',
  'blocked',
  'bad_status',
  'bad_response',
  'too_large',
] as const satisfies readonly DeliveryError[];

const webhookEvent = () => component('WebhookEvent', oneOf(webhookEvents));

export const NewWebhook = component(
  'NewWebhook',
  object({
    // No length limit here, so that every bad URL is reported as `invalid_target_url`.
    url: Type.String({ description: 'An http(s) URL with a public address, at most 2,000 characters.' }),
    events: Type.Array(webhookEvent(), {
      minItems: 1,
      maxItems: webhookEvents.length,
      description:
        'The event types to be notified of. `suite.grade` makes the webhook a judge that your suites may name.',
    }),
  }),
);

export const Webhook = component(
  'Webhook',
  object({
    id: uuid(),
    url: Type.String(),
    events: Type.Array(webhookEvent()),
    status: oneOf(['pending', 'active', 'failed', 'disabled'], {
      description:
        '`pending` until your endpoint echoes the challenge; `failed` if it does not within an hour: `POST /v1/webhooks/{id}/verify` tries again.',
    }),
    disabled_at: nullable(instant()),
    disabled_reason: nullable(
      oneOf(disabledReasons, {
        description: '`gone`: your endpoint returned 410. `failing`: every delivery failed for three days.',
      }),
    ),
    failing_since: nullable(
      instant('The time of the first failure since the last success; null if the last delivery succeeded.'),
    ),
    last_delivered_at: nullable(instant('The time of the last successful delivery, to the minute.')),
    created_at: instant(),
  }),
);

export const CreatedWebhook = component(
  'CreatedWebhook',
  extending(Webhook, {
    secret: Type.String({
      description:
        'The signing secret (see https://www.standardwebhooks.com). Only this response shows it, also when repeated with the same `Idempotency-Key`.',
    }),
  }),
);

export const WebhookDelivery = component(
  'WebhookDelivery',
  object({
    id: uuid('Sent as `webhook-id`, the same on every attempt.'),
    kind: Type.String({
      description:
        'One of `events`, `webhook.challenge`, or `webhook.disabled` about another of your webhooks.',
    }),
    status: oneOf(deliveryStatuses, {
      description:
        '`dropped`: not sent because the webhook was disabled or too many deliveries were waiting.',
    }),
    attempts: Type.Integer({ minimum: 0, description: 'Attempts so far.' }),
    response_status: nullable(Type.Integer({ description: 'The status that the last attempt received.' })),
    error: nullable(oneOf(deliveryErrors, { description: 'Why the last attempt failed.' })),
    created_at: instant(),
    last_attempt_at: nullable(instant()),
    next_attempt_at: nullable(instant('Null once the delivery has ended.')),
    finished_at: nullable(instant()),
  }),
);

export function showWebhook(row: WebhookRow): Static<typeof Webhook> {
  return {
    id: row.id,
    url: row.url,
    events: [...row.events],
    status: row.disabledAt === null ? row.state : 'disabled',
    disabled_at: row.disabledAt?.toISOString() ?? null,
    disabled_reason: row.disabledReason,
    failing_since: row.failingSince?.toISOString() ?? null,
    last_delivered_at: row.lastDeliveredAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  };
}

export function showDelivery(row: DeliveryRow): Static<typeof WebhookDelivery> {
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    attempts: row.attempts,
    response_status: row.responseStatus,
    error: row.error,
    created_at: row.createdAt.toISOString(),
    last_attempt_at: row.lastAttemptAt?.toISOString() ?? null,
    next_attempt_at: row.nextAttemptAt?.toISOString() ?? null,
    finished_at: row.finishedAt?.toISOString() ?? null,
  };
}
