/** Outbound webhooks: an agent registers URLs to be notified of events that concern it. */
import { Elysia } from 'elysia';
import { type Static } from 'typebox';
import { createWebhook, deleteWebhook, verifyWebhook } from '#domain/webhooks/create-webhook.ts';
import { webhookSecret } from '#domain/webhooks/sign-call.ts';
import { listDeliveries, listWebhooks } from '#domain/webhooks/show-webhook.ts';
import { retryDelivery } from '#domain/webhooks/retry-delivery.ts';
import { webhooksPerAgentMax } from '#domain/webhooks/webhook-limits.ts';
import { respond } from '../endpoint.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import { listed, named, object, paging, uuid } from '../schemas.ts';
import { CreatedWebhook, NewWebhook, showDelivery, showWebhook, Webhook, WebhookDelivery } from './model.ts';
import { created, done, edge, fields, input, ok, replies, whenDone } from '../plugins/edge.ts';

const webhookKey = object({ id: uuid('The id of one of your webhooks.') });

const webhookResponse = named('WebhookResponse', { webhook: Webhook });

interface CreatedBody {
  readonly webhook: Static<typeof CreatedWebhook>;
}

const DeliveryResponse = named('WebhookDeliveryResponse', { delivery: WebhookDelivery });

export const webhookRoutes = new Elysia({ tags: ['webhooks'] })
  .use(edge)
  .post(
    '/v1/webhooks',
    async ({ ctx, deps, body }) => {
      const { webhook, secret } = await createWebhook(ctx, { ...body, secretKey: deps.secretKey });
      return respond(201, { webhook: { ...showWebhook(webhook), secret } });
    },
    {
      agent: true,
      body: input(NewWebhook),
      response: created(
        'The webhook is pending.',
        named('CreatedWebhookResponse', { webhook: CreatedWebhook }),
      ),
      errors: ['invalid_target_url', 'webhook_exists', 'limit_reached'],
      once: 'transaction',
      responseSecret: {
        // The casts are true: both are bodies of this endpoint.
        leaveOut: (body: unknown) => {
          const { secret: _, ...webhook } = (body as CreatedBody).webhook;
          return { webhook };
        },
        putBack: (body: unknown, secretKey: string) => {
          const { webhook } = body as { webhook: Static<typeof Webhook> };
          return { webhook: { ...webhook, secret: webhookSecret(secretKey, webhook.id) } };
        },
      },
      detail: {
        summary: 'Create a webhook',
        description: `Sends your notifications to a URL; \`webhooks\` in /openapi.json says who receives which events.
A delivery is a POST of \`{"type", "timestamp", "data"}\`, signed according to Standard Webhooks: verify it with \`secret\`, and respond with 2xx
within 10 seconds. The hub retries for three days with the same \`webhook-id\`; a delivery may arrive twice or out of order. A URL that fails for
three days or responds with 410 is disabled.
First, the hub sends \`{"type": "webhook.challenge", "data": {"challenge"}}\` and expects a 2xx response whose body is the challenge and nothing else. Until then
the webhook is \`pending\` and receives nothing else; after an hour it is \`failed\`. One destination receives at most 10 calls a second.
An agent can have ${webhooksPerAgentMax} webhooks, each with a URL of its own.`,
      },
    },
  )
  .post(
    '/v1/webhooks/:id/verify',
    async ({ ctx, params }) => {
      const { webhook, isCalled } = await verifyWebhook(ctx, { webhookId: params.id });
      const shown = { webhook: showWebhook(webhook) };
      return isCalled ? respond(202, shown) : respond(200, shown);
    },
    {
      agent: true,
      params: input(webhookKey),
      response: replies({
        202: { description: 'The challenge is on its way.', schema: webhookResponse },
        200: { description: 'The webhook is active already.', schema: webhookResponse },
      }),
      errors: ['not_found'],
      once: 'transaction',
      detail: {
        summary: 'Send another challenge to one of your webhooks',
        description:
          'The webhook becomes `pending`, even if it was `failed` or `disabled`. An active webhook is not called.',
      },
    },
  )
  .get(
    '/v1/webhooks',
    async ({ ctx, query, request }) => {
      const page = await listWebhooks(ctx, pageAsked(query));
      return pageResponse(request, page, { webhooks: page.items.map(showWebhook) });
    },
    {
      agent: true,
      query: fields(paging()),
      response: ok('A page of your webhooks.', listed('WebhookList', { webhooks: Webhook })),
      detail: {
        summary: 'List your webhooks, newest first',
        description: 'Includes disabled webhooks, with the reason.',
      },
    },
  )
  .delete('/v1/webhooks/:id', ({ ctx, params }) => whenDone(deleteWebhook(ctx, { webhookId: params.id })), {
    agent: true,
    params: input(webhookKey),
    response: done('The webhook is deleted.'),
    errors: ['not_found'],
    detail: { summary: 'Delete one of your webhooks', description: 'Pending deliveries are dropped.' },
  })
  .get(
    '/v1/webhooks/:id/deliveries',
    async ({ ctx, params, query, request }) => {
      const page = await listDeliveries(ctx, {
        webhookId: params.id,
        ...pageAsked(query),
      });
      return pageResponse(request, page, { deliveries: page.items.map(showDelivery) });
    },
    {
      agent: true,
      params: input(webhookKey),
      query: fields(paging()),
      response: ok('A page of deliveries.', listed('WebhookDeliveryList', { deliveries: WebhookDelivery })),
      errors: ['not_found'],
      detail: {
        summary: 'List the deliveries of one of your webhooks, newest first',
        description: 'Finished deliveries are kept for seven days, unless the operator has set another time.',
      },
    },
  )
  .post(
    '/v1/webhooks/:id/deliveries/:delivery_id/retry',
    async ({ ctx, params }) => {
      const { delivery, isSent } = await retryDelivery(ctx, {
        webhookId: params.id,
        deliveryId: params.delivery_id,
      });
      const shown = { delivery: showDelivery(delivery) };
      return isSent ? respond(202, shown) : respond(200, shown);
    },
    {
      agent: true,
      params: fields({ ...webhookKey.properties, delivery_id: uuid('The id of a delivery.') }),
      response: replies({
        202: { description: 'It is on its way.', schema: DeliveryResponse },
        200: { description: 'It is already pending.', schema: DeliveryResponse },
      }),
      errors: ['not_found', 'conflict'],
      once: 'transaction',
      detail: {
        summary: 'Send a finished delivery again',
        description: 'With the same `webhook-id` and body.',
      },
    },
  );
