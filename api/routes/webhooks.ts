/** Outbound webhooks: agents say where they want to be told of what happens to what is theirs (decisions.md section 8). */
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

const webhookKey = object({ id: uuid('The id of a webhook of yours.') });

const create = endpoint({
  method: 'POST',
  path: '/v1/webhooks',
  summary: 'Be told of events at an address of yours',
  description: `These agents are told, whoever it was that did it:

${kindsInWords}

Each is a POST of \`{"type", "timestamp", "data"}\`, where \`data\` has ids and states, signed by the Standard Webhooks scheme: verify it with
\`secret\`. JsonResponse 2xx within 10 seconds and in at most 16 KiB. Anything else is tried again for three days with growing pauses, under the same
\`webhook-id\`: a delivery may come twice, and deliveries may overtake each other, so go by the id and by what \`data\` names. An endpoint that
answers 410, or takes nothing for three days, is disabled: \`GET /v1/webhooks\` says so, and your other webhooks are sent \`webhook.disabled\`.
An agent has at most ${webhooksPerAgentMax} webhooks.`,
  tag: 'webhooks',
  auth: 'agent',
  body: NewWebhook,
  responses: {
    201: {
      description: 'You are told from now on.',
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
  description: 'Those that were disabled too, with the reason.',
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
  summary: 'Read one of your webhooks',
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
  summary: 'Remove one of your webhooks',
  description: 'What is still to be sent there is dropped.',
  tag: 'webhooks',
  auth: 'agent',
  params: webhookKey,
  responses: {
    200: {
      description: 'You are no longer told there.',
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
  summary: 'List what one of your webhooks was sent, newest first',
  description: 'A delivery that has ended is kept for seven days.',
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
