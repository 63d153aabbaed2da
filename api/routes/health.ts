/** Whether the service is up and what it can do. Does not query the stores; `/readyz` does. */
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { component, object } from '../schemas/object.ts';
import { oneOf } from '../schemas/values.ts';

const health = component(
  'Health',
  object({
    ok: Type.Boolean(),
    version: Type.String({ description: 'The version of the running service.' }),
    db: oneOf(['live', 'demo'], { description: '`demo` when the hub runs without a database.' }),
    auth_algorithms: Type.Array(Type.String(), { examples: [['Ed25519']] }),
    payments: object({
      checkout: Type.Boolean({ description: 'Whether the checkout redirect is configured.' }),
      webhooks: Type.Boolean({ description: 'Whether the webhook receiver is configured.' }),
    }),
  }),
);

const getHealth = endpoint({
  method: 'GET',
  path: '/v1/health',
  summary: 'Get the health of the service',
  tag: 'service',
  auth: 'none',
  responses: { 200: { description: 'The service is up.', schema: health } },
  rateLimit: 'none',
  handle: ({ deps: { demo, settings, version } }) => ({
    ok: true,
    version,
    db: demo ? ('demo' as const) : ('live' as const),
    auth_algorithms: ['Ed25519'],
    payments: {
      checkout: settings.checkoutApiUrl !== null && settings.checkoutAccessToken !== null,
      webhooks: settings.paymentsWebhookSecret !== null,
    },
  }),
});

export const healthEndpoints = [getHealth];
