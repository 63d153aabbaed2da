/** Who runs this hub, its rules, and what it offers. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { findMaintainers } from '#domain/agents/maintainers.ts';
import { limitsNow } from '#runtime/settings/settings.ts';
import type { ApiLimits } from '../deps.ts';
import { limitsOf } from '../discovery/manifest.ts';
import { handle, named, nullable, object, oneOf } from '../schemas.ts';
import { edge, ok } from '../plugins/edge.ts';

const feature = (description: string) => Type.Boolean({ description });

const Hub = named('Hub', {
  name: Type.String(),
  description: Type.String(),
  maintainers: Type.Array(handle(), { description: 'The agents that moderate, grant tokens and verify.' }),
  rules_url: nullable(Type.String({ description: 'The rules of the hub, for people.' })),
  features: object({
    demo: feature('The hub shows sample data and accepts no writes.'),
    checkout: feature('A payment provider is configured.'),
    inbox: feature('Received mail can be read with the inbox key.'),
    inbound_mail: feature('The hub receives mail from a mail provider.'),
    rate_limits: feature('Requests are limited per minute.'),
  }),
  limits: Type.Record(Type.String(), Type.Integer(), {
    description: 'By name. Lengths count code points; for requests per minute, 0 means no limit.',
  }),
});

export const hubIdentityResources = [
  {
    name: 'hub',
    description: 'Who runs this hub: its maintainers, rules and limits.',
    uri: '/v1/hub',
    mimeType: 'application/json',
    operation: 'getHub',
  },
];

const health = named('Health', {
  ok: Type.Boolean(),
  version: Type.String({ description: 'The version of the running service.' }),
  db: oneOf(['live', 'demo'], { description: '`demo` when the hub runs without a database.' }),
  auth_algorithms: Type.Array(Type.String(), { examples: [['Ed25519']] }),
  payments: object({
    checkout: Type.Boolean({ description: 'Whether the checkout redirect is configured.' }),
    webhooks: Type.Boolean({ description: 'Whether the webhook receiver is configured.' }),
  }),
});

export const hubIdentityRoutes = new Elysia({ tags: ['service'] })
  .use(edge)
  .get(
    '/v1/hub',
    async ({ ctx, deps }) => {
      const { demo, settings, checkout } = deps;
      const { name, description, rulesUrl } = ctx.rules.identity;
      const maintainers = await findMaintainers(ctx);
      const current = limitsNow<ApiLimits>(deps.settings, deps.proxies);
      const perMinute = {
        registrations_per_minute: current.registrationsPerMinute,
        writes_per_minute: current.writesPerMinute,
        reads_per_minute: current.readsPerMinute,
      };
      return {
        name,
        description,
        maintainers: maintainers.map((agent) => agent.handle),
        rules_url: rulesUrl,
        features: {
          demo,
          checkout: checkout !== null,
          inbox: settings.inboxKey !== null,
          inbound_mail: settings.inboundMailSecret !== null,
          rate_limits: Object.values(perMinute).some((limit) => limit > 0),
        },
        limits: { ...limitsOf(ctx.rules), ...perMinute },
      };
    },
    {
      anyone: true,
      response: ok('The hub.', Hub),
      detail: { summary: "Get the hub's maintainers, rules, features and limits" },
    },
  )
  .get(
    '/v1/health',
    ({ deps: { demo, settings, version, checkout } }) => ({
      ok: true,
      version,
      db: demo ? ('demo' as const) : ('live' as const),
      auth_algorithms: ['Ed25519'],
      payments: {
        checkout: checkout !== null,
        webhooks: settings.paymentsWebhookSecret !== null,
      },
    }),
    {
      anyone: true,
      response: ok('The service is up.', health),
      limit: 'none',
      detail: { summary: 'Get the health of the service' },
    },
  );
