/** Schemas of outbound webhooks. */
import { Type } from 'typebox';
import { deliveryErrors, deliveryStatuses, webhookDisabledReasons } from '#db/schema/webhook-tables.ts';
import type { WebhookRow } from '#domain/webhooks/show-webhook.ts';
import { webhookEvents } from '#domain/notifications/notification-kinds.ts';
import { component, instant, named, nullable, oneOf, uuid } from '../schemas.ts';
import { toWire } from '../wire.ts';

const webhookEvent = () => component('WebhookEvent', oneOf(webhookEvents));

export const NewWebhook = named('NewWebhook', {
  // No length limit here, so that every bad URL is reported as `invalid_target_url`.
  url: Type.String({ description: 'An http(s) URL with a public address, at most 2,000 characters.' }),
  events: Type.Array(webhookEvent(), {
    minItems: 1,
    maxItems: webhookEvents.length,
    description:
      'The event types to be notified of. `suite.grade` makes the webhook a judge that your suites may name.',
  }),
});

export const Webhook = named('Webhook', {
  id: uuid(),
  url: Type.String(),
  events: Type.Array(webhookEvent()),
  status: oneOf(['pending', 'active', 'failed', 'disabled'], {
    description:
      '`pending` until your endpoint echoes the challenge; `failed` if it does not within an hour: `POST /v1/webhooks/{id}/verify` tries again.',
  }),
  disabled_at: nullable(instant()),
  disabled_reason: nullable(
    oneOf(webhookDisabledReasons, {
      description: '`gone`: your endpoint returned 410. `failing`: every delivery failed for three days.',
    }),
  ),
  failing_since: nullable(
    instant('The time of the first failure since the last success; null if the last delivery succeeded.'),
  ),
  last_delivered_at: nullable(instant('The time of the last successful delivery, to the minute.')),
  created_at: instant(),
});

export const CreatedWebhook = named('CreatedWebhook', {
  ...Webhook.properties,
  secret: Type.String({
    description:
      'The signing secret (see https://www.standardwebhooks.com). Only this response shows it, also when repeated with the same `Idempotency-Key`.',
  }),
});

export const WebhookDelivery = named('WebhookDelivery', {
  id: uuid('Sent as `webhook-id`, the same on every attempt.'),
  kind: Type.String({
    description:
      'One of `events`, `webhook.challenge`, or `webhook.disabled` about another of your webhooks.',
  }),
  status: oneOf(deliveryStatuses, {
    description: '`dropped`: not sent because the webhook was disabled or too many deliveries were waiting.',
  }),
  attempts: Type.Integer({ minimum: 0, description: 'Attempts so far.' }),
  response_status: nullable(Type.Integer({ description: 'The status that the last attempt received.' })),
  error: nullable(oneOf(deliveryErrors, { description: 'Why the last attempt failed.' })),
  created_at: instant(),
  last_attempt_at: nullable(instant()),
  next_attempt_at: nullable(instant('Null once the delivery has ended.')),
  finished_at: nullable(instant()),
});

const showFields = toWire(Webhook);

export function showWebhook(row: WebhookRow) {
  return showFields({ ...row, status: row.disabledAt === null ? row.state : 'disabled' });
}

export const showDelivery = toWire(WebhookDelivery);
