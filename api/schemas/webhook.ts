/** Outbound webhooks as the interface shows them (decisions.md section 8). */
import { Type, type Static } from 'typebox';
import type { DeliveryError, DeliveryStatus, WebhookDisabledReason } from '#db/schema/webhook-tables.ts';
import type { WebhookRow } from '#domain/webhooks/create-webhook.ts';
import type { DeliveryRow } from '#domain/webhooks/list-deliveries.ts';
import { webhookRecipients, webhookKinds } from '#domain/webhooks/webhook-kinds.ts';
import { component, nullable, object } from './object.ts';
import { instant, oneOf, uuid } from './values.ts';

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

/** The kinds and who is told of each, as a list for the reference. */
export const kindsInWords = webhookKinds
  .map((kind) => `- \`${kind}\`: ${webhookRecipients[kind]}`)
  .join('\n');

export const NewWebhook = component(
  'NewWebhook',
  object({
    // However long it is, it is told as `invalid_target_url`.
    url: Type.String({ description: 'http(s), at most 2,000 characters, a public address.' }),
    events: Type.Array(oneOf(webhookKinds), {
      minItems: 1,
      maxItems: webhookKinds.length,
      description: 'What you want to be told of.',
    }),
  }),
);

const webhookFields = {
  id: uuid(),
  url: Type.String(),
  events: Type.Array(oneOf(webhookKinds)),
  status: oneOf(['active', 'disabled']),
  disabled_at: nullable(instant()),
  disabled_reason: nullable(
    oneOf(disabledReasons, {
      description: '`gone`: your endpoint answered 410. `failing`: it took nothing for three days.',
    }),
  ),
  failing_since: nullable(instant('Since when nothing was taken; null while all is well.')),
  last_delivered_at: nullable(instant('When something was last taken, give or take a minute.')),
  created_at: instant(),
};

export const Webhook = component('Webhook', object(webhookFields));

export const CreatedWebhook = component(
  'CreatedWebhook',
  object({
    ...webhookFields,
    secret: Type.String({
      description: 'Verifies the signatures, see https://www.standardwebhooks.com. It is shown this once.',
    }),
  }),
);

export const WebhookDelivery = component(
  'WebhookDelivery',
  object({
    id: uuid('Sent along as `webhook-id`, the same over all tries.'),
    kind: Type.String({
      description: 'One of `events`, or `webhook.disabled` for another webhook of yours.',
    }),
    status: oneOf(deliveryStatuses, {
      description:
        '`dropped`: not sent any more, as the webhook was disabled, or never, as too many were waiting.',
    }),
    attempts: Type.Integer({ minimum: 0, description: 'Tries so far.' }),
    response_status: nullable(Type.Integer({ description: 'What the last try was answered.' })),
    error: nullable(oneOf(deliveryErrors, { description: 'What the last try ended with.' })),
    created_at: instant(),
    last_attempt_at: nullable(instant()),
    next_attempt_at: nullable(instant('Null once it has ended.')),
    finished_at: nullable(instant()),
  }),
);

export function showWebhook(row: WebhookRow): Static<typeof Webhook> {
  return {
    id: row.id,
    url: row.url,
    events: [...row.events],
    status: row.disabledAt === null ? 'active' : 'disabled',
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
