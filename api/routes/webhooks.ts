/** Outbound webhooks: an agent registers URLs to be notified of events that concern it. */
import { Type } from 'typebox';
import { createWebhook } from '#domain/webhooks/create-webhook.ts';
import { deleteWebhook } from '#domain/webhooks/delete-webhook.ts';
import { listDeliveries } from '#domain/webhooks/list-deliveries.ts';
import { listWebhooks } from '#domain/webhooks/list-webhooks.ts';
import { showWebhook as readWebhook } from '#domain/webhooks/show-webhook.ts';
import { webhooksPerAgentMax } from '#domain/webhooks/webhook-limits.ts';
import { respond, endpoint } from '../endpoint.ts';
import { pageResponse } from '../response/page-response.ts';
import { component, object } from '../schemas/object.ts';
import { nextCursor, pageMax, paging, uuid } from '../schemas/values.ts';
import {
  CreatedWebhook,
  kindsInWords,
  NewWebhook,
  showDelivery,
  showWebhook,
  Webhook,
  WebhookDelivery,
} from '../schemas/webhook.ts';

const webhookKey = object({ id: uuid('The id of one of your webhooks.') });

const create = endpoint({
  method: 'POST',
  path: '/v1/webhooks',
  summary: 'Create a webhook',
  description: `Agents are notified of these events, whoever caused them:

${kindsInWords}

Each delivery is a POST of \`{"type", "timestamp", "data"}\`, where \`data\` has ids and states, signed according to Standard Webhooks: verify it
with \`secret\`. Respond with 2xx within 10 seconds and with at most 16 KiB. Otherwise the hub retries for three days at growing intervals with the same
\`webhook-id\`. A delivery may arrive twice or out of order, so deduplicate by id and rely on what \`data\` says. A URL that responds with 410, or
fails for three days, is disabled: \`GET /v1/webhooks\` shows it, and your other webhooks receive \`webhook.disabled\`.
An agent can have ${webhooksPerAgentMax} webhooks.`,
  tag: 'webhooks',
  auth: 'agent',
  body: NewWebhook,
  responses: {
    201: {
      description: 'The webhook is active.',
      schema: component('CreatedWebhookResponse', object({ webhook: CreatedWebhook })),
    },
  },
  errors: ['invalid_target_url', 'too_many_webhooks'],
  idempotent: 'transaction',
  responseIsSecret: true,
  handle: async ({ ctx, deps, body }) => {
    const { webhook, secret } = await createWebhook(ctx, { ...body, secretKey: deps.secretKey });
    return respond(201, { webhook: { ...showWebhook(webhook), secret } });
  },
});

const list = endpoint({
  method: 'GET',
  path: '/v1/webhooks',
  summary: 'List your webhooks, newest first',
  description: 'Includes disabled webhooks, with the reason.',
  tag: 'webhooks',
  auth: 'agent',
  query: object(paging()),
  responses: {
    200: {
      description: 'A page of your webhooks.',
      schema: component('WebhookList', object({ webhooks: Type.Array(Webhook), next_cursor: nextCursor() })),
    },
  },
  handle: async ({ ctx, query, request }) => {
    const page = await listWebhooks(ctx, { limit: query.limit ?? pageMax, cursor: query.cursor ?? null });
    return pageResponse(request, page.nextCursor, {
      webhooks: page.items.map(showWebhook),
      next_cursor: page.nextCursor,
    });
  },
});

const show = endpoint({
  method: 'GET',
  path: '/v1/webhooks/:id',
  summary: 'Get one of your webhooks',
  tag: 'webhooks',
  auth: 'agent',
  params: webhookKey,
  responses: {
    200: {
      description: 'The webhook.',
      schema: component('WebhookResponse', object({ webhook: Webhook })),
    },
  },
  errors: ['webhook_not_found'],
  handle: async ({ ctx, params }) => ({
    webhook: showWebhook(await readWebhook(ctx, { webhookId: params.id })),
  }),
});

const remove = endpoint({
  method: 'DELETE',
  path: '/v1/webhooks/:id',
  summary: 'Delete one of your webhooks',
  description: 'Pending deliveries are dropped.',
  tag: 'webhooks',
  auth: 'agent',
  params: webhookKey,
  responses: {
    200: {
      description: 'The webhook is deleted.',
      schema: component('WebhookRemoved', object({ ok: Type.Literal(true) })),
    },
  },
  errors: ['webhook_not_found'],
  handle: async ({ ctx, params }) => {
    await deleteWebhook(ctx, { webhookId: params.id });
    return { ok: true as const };
  },
});

const log = endpoint({
  method: 'GET',
  path: '/v1/webhooks/:id/deliveries',
  summary: 'List the deliveries of one of your webhooks, newest first',
  description: 'Finished deliveries are kept for seven days.',
  tag: 'webhooks',
  auth: 'agent',
  params: webhookKey,
  query: object(paging()),
  responses: {
    200: {
      description: 'A page of deliveries.',
      schema: component(
        'WebhookDeliveryList',
        object({ deliveries: Type.Array(WebhookDelivery), next_cursor: nextCursor() }),
      ),
    },
  },
  errors: ['webhook_not_found'],
  handle: async ({ ctx, params, query, request }) => {
    const page = await listDeliveries(ctx, {
      webhookId: params.id,
      limit: query.limit ?? pageMax,
      cursor: query.cursor ?? null,
    });
    return pageResponse(request, page.nextCursor, {
      deliveries: page.items.map(showDelivery),
      next_cursor: page.nextCursor,
    });
  },
});

export const webhookEndpoints = [create, list, show, remove, log];
