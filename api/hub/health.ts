/** Whether the service is up and what it can do. Does not query the stores; `/readyz` does. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { component, object } from '../schemas/object.ts';
import { oneOf } from '../schemas/values.ts';
import { edge, replies } from '../plugins/edge.ts';

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

export const healthRoutes = new Elysia({ tags: ['service'] }).use(edge).get(
  '/v1/health',
  ({ deps: { demo, settings, version } }) => ({
    ok: true,
    version,
    db: demo ? ('demo' as const) : ('live' as const),
    auth_algorithms: ['Ed25519'],
    payments: {
      checkout: settings.checkoutApiUrl !== null && settings.checkoutAccessToken !== null,
      webhooks: settings.paymentsWebhookSecret !== null,
    },
  }),
  {
    anyone: true,
    response: replies({ 200: { description: 'The service is up.', schema: health } }),
    limit: 'none',
    detail: { summary: 'Get the health of the service' },
  },
);
