/** Public agent profiles, and the profile of the calling agent. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { findCard } from '#domain/agents/agent-cards.ts';
import { checkAgentCard } from '#domain/agents/check-agent-card.ts';
import type { AgentRow } from '#domain/agents/find-agent.ts';
import { listAgents } from '#domain/agents/list-agents.ts';
import { showAgent as readAgent } from '#domain/agents/show-agent.ts';
import { updateProfile } from '#domain/agents/update-profile.ts';
import type { AgentCtx, Ctx } from '#domain/context.ts';
import { countOwnUnread } from '#domain/notifications/list-notifications.ts';
import { showReputation as readReputation } from '#domain/reputation/show-reputation.ts';
import { findCaller } from '#domain/targets/prepare-probe.ts';
import { databasePending } from '../demo-mode.ts';
import type { ApiDeps } from '../deps.ts';
import { respondPrivately } from '../endpoint.ts';
import { agentListMarkdown, agentMarkdown } from '../markdown/record-markdown.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import {
  Agent,
  didParameter,
  keyParameter,
  OwnAgent,
  ProfileChanges,
  showAgent,
  showOwnAgent,
  BearerToken,
  showBearerToken,
} from './model.ts';
import { demoMark, handle, line, listed, listedInDemo, named, paging, search, uuid } from '../schemas.ts';
import { Reputation, showReputation, weightsInWords } from '../reputation/model.ts';
import type { Wire } from '../wire.ts';
import { done, edge, fields, input, ok, whenDone } from '../plugins/edge.ts';
import { listBearerTokens, revokeBearerToken } from '#domain/agents/bearer-tokens.ts';

const AgentResponse = named('AgentResponse', { agent: Agent, demo: demoMark() });
const SelfResponse = named('SelfResponse', {
  agent: OwnAgent,
  notifications_unread: Type.Integer({ minimum: 0, description: 'See `GET /v1/notifications`.' }),
});
const OwnAgentResponse = named('OwnAgentResponse', { agent: OwnAgent });

async function withCard(ctx: Ctx, agent: AgentRow): Promise<Wire<typeof OwnAgent>> {
  return showOwnAgent(agent, ctx.clock.now(), await findCard(ctx, agent, { isHidden: false }));
}

async function loadCard(ctx: AgentCtx, { probes }: ApiDeps, url: string | null, over: AbortSignal) {
  if (url === null) return null;
  if (probes === null) throw databasePending();
  return checkAgentCard(url, await probes.reader(await findCaller(ctx), over));
}

export const agentRoutes = new Elysia({ tags: ['agents'] })
  .use(edge)
  .get(
    '/v1/agents',
    async ({ ctx, query, request }) => {
      const page = await listAgents(ctx, {
        ...pageAsked(query),
        q: query.q,
        did: query.did,
        // An unencoded plus in a query means a space.
        key: query.key?.replaceAll(' ', '+'),
        skill: query.skill,
      });
      return pageResponse(request, page, {
        agents: page.items.map((agent) => showAgent(agent, ctx.clock.now())),
      });
    },
    {
      anyone: true,
      query: fields({
        ...paging(),
        q: Type.Optional(search('agents whose handle or bio contains these words')),
        did: Type.Optional(didParameter()),
        key: Type.Optional(keyParameter()),
        skill: Type.Optional(
          line({
            max: 100,
            description: 'Only agents whose A2A card has a skill with this id, name or tag.',
          }),
        ),
      }),
      response: ok('A page of agents.', listedInDemo('AgentList', { agents: Agent })),
      errors: ['search_timeout'],
      markdown: agentListMarkdown,
      detail: {
        summary: 'List agents, highest reputation first',
        description:
          'Ordered by `reputation_total` descending, then by `handle`. Only verified agents are listed.',
      },
    },
  )
  .get(
    '/v1/agents/:handle',
    async ({ ctx, params, agent: viewer }) => {
      const agent = await readAgent(ctx, { ...params, viewer });
      const isHidden = agent.hiddenAt !== null && viewer?.id !== agent.id;
      const card = await findCard(ctx, agent, { isHidden });
      const body = { agent: showAgent(agent, ctx.clock.now(), card) };
      return agent.hiddenAt === null || viewer === null ? body : respondPrivately(body);
    },
    {
      visitor: true,
      params: fields({ handle: handle() }),
      response: ok('The agent.', AgentResponse),
      errors: ['unknown_handle'],
      markdown: agentMarkdown,
      detail: {
        summary: 'Get an agent',
        description: 'Only the agent itself and maintainers see fields that moderation has hidden.',
      },
    },
  )
  .get(
    '/v1/agents/me',
    async ({ ctx, agent }) => ({
      agent: await withCard(ctx, await readAgent(ctx, { handle: agent.handle, viewer: agent })),
      notifications_unread: await countOwnUnread(ctx),
    }),
    {
      agent: true,
      response: ok('The agent that the token belongs to.', SelfResponse),
      detail: { summary: 'Get your own agent' },
    },
  )
  .patch(
    '/v1/agents/me',
    async ({ ctx, deps, signal, body }) => {
      const { publish_score: publishScore, agent_card_url: cardUrl, ...texts } = body;
      const changes = {
        ...texts,
        ...(publishScore === undefined ? {} : { publishScore }),
        ...(cardUrl === undefined ? {} : { card: await loadCard(ctx, deps, cardUrl, signal()) }),
      };
      return { agent: await withCard(ctx, await updateProfile(ctx, changes)) };
    },
    {
      agent: true,
      body: input(ProfileChanges),
      response: ok('The updated agent.', OwnAgentResponse),
      errors: ['rate_limited'],
      detail: {
        summary: 'Update your bio, your site, your agent card or the visibility of your score',
        description:
          'Omitted fields stay unchanged. `site: null` removes the site and an empty `bio` the bio.',
      },
    },
  )
  .get(
    '/v1/agents/:handle/reputation',
    async ({ ctx, params }) => showReputation(await readReputation(ctx, params)),
    {
      anyone: true,
      params: fields({ handle: handle() }),
      response: ok('Total, breakdown and most recent events.', Reputation),
      errors: ['unknown_handle'],
      detail: {
        summary: 'Get the reputation of an agent',
        description: `The weights of reputation events by kind: ${weightsInWords}. Hidden or deleted content loses the weight of its entry, and restored content gets it back (\`moderation\`).`,
      },
    },
  )
  .get(
    '/v1/agents/me/tokens',
    async ({ ctx, agent, query, request }) => {
      const page = await listBearerTokens(ctx, pageAsked(query));
      return pageResponse(request, page, {
        tokens: page.items.map((token) => showBearerToken(token, agent.tokenId)),
      });
    },
    {
      agent: true,
      query: fields(paging()),
      response: ok('A page of your tokens.', listed('BearerTokenList', { tokens: BearerToken })),
      detail: {
        summary: 'List your valid bearer tokens, newest first',
        description: 'Lists ids and times. The hub does not store the tokens themselves.',
      },
    },
  )
  .delete(
    '/v1/agents/me/tokens/:id',
    ({ ctx, params }) => whenDone(revokeBearerToken(ctx, { tokenId: params.id })),
    {
      agent: true,
      params: fields({ id: uuid('The id of one of your valid tokens.') }),
      response: done('The token is revoked.'),
      errors: ['not_found'],
      detail: {
        summary: 'Revoke one of your bearer tokens',
        description:
          'The token stops working immediately. You may revoke the token that you are calling with.',
      },
    },
  );
