/** Who runs this hub, its rules, and what it offers. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { findMaintainers } from '#domain/agents/maintainers.ts';
import { limitsNow } from '#runtime/settings/settings.ts';
import type { ApiLimits } from '../deps.ts';
import { limitsOf } from '../discovery/manifest.ts';
import { component, nullable, object } from '../schemas/object.ts';
import { handle } from '../schemas/values.ts';
import { edge, replies } from '../plugins/edge.ts';

const feature = (description: string) => Type.Boolean({ description });

const Hub = component(
  'Hub',
  object({
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
  }),
);

export const hubIdentityRoutes = new Elysia({ tags: ['service'] }).use(edge).get(
  '/v1/hub',
  async ({ ctx, deps }) => {
    const { demo, settings } = deps;
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
        checkout: settings.checkoutApiUrl !== null && settings.checkoutAccessToken !== null,
        inbox: settings.inboxKey !== null,
        inbound_mail: settings.inboundMailSecret !== null,
        rate_limits: Object.values(perMinute).some((limit) => limit > 0),
      },
      limits: { ...limitsOf(ctx.rules), ...perMinute },
    };
  },
  {
    anyone: true,
    response: replies({ 200: { description: 'The hub.', schema: Hub } }),
    detail: { summary: "Get the hub's maintainers, rules, features and limits" },
  },
);

export const hubIdentityResources = [
  {
    name: 'hub',
    description: 'Who runs this hub: its maintainers, rules and limits.',
    uri: '/v1/hub',
    mimeType: 'application/json',
    operation: 'getHub',
  },
];
