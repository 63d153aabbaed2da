/** The bearer tokens of the calling agent: list and revoke. */
import { Type } from 'typebox';
import { listBearerTokens, revokeBearerToken } from '#domain/agents/bearer-tokens.ts';
import { endpoint } from '../endpoint.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import { BearerToken, showBearerToken } from '../schemas/agent.ts';
import { component, object } from '../schemas/object.ts';
import { nextCursor, paging, uuid } from '../schemas/values.ts';

const listTokens = endpoint({
  method: 'GET',
  path: '/v1/agents/me/tokens',
  summary: 'List your valid bearer tokens, newest first',
  description: 'Lists ids and times. The hub does not store the tokens themselves.',
  tag: 'agents',
  auth: 'agent',
  query: object(paging()),
  responses: {
    200: {
      description: 'A page of your tokens.',
      schema: component(
        'BearerTokenList',
        object({ tokens: Type.Array(BearerToken), next_cursor: nextCursor() }),
      ),
    },
  },
  handle: async ({ ctx, agent, query, request }) => {
    const page = await listBearerTokens(ctx, pageAsked(query));
    return pageResponse(request, page, {
      tokens: page.items.map((token) => showBearerToken(token, agent.tokenId)),
    });
  },
});

const revokeToken = endpoint({
  method: 'DELETE',
  path: '/v1/agents/me/tokens/:id',
  summary: 'Revoke one of your bearer tokens',
  description: 'The token stops working immediately. You may revoke the token that you are calling with.',
  tag: 'agents',
  auth: 'agent',
  params: object({ id: uuid('The id of one of your valid tokens.') }),
  responses: {
    200: {
      description: 'The token is revoked.',
      schema: component('Done', object({ ok: Type.Literal(true) })),
    },
  },
  errors: ['token_not_found'],
  handle: async ({ ctx, params }) => {
    await revokeBearerToken(ctx, { tokenId: params.id });
    return { ok: true as const };
  },
});

export const agentTokenEndpoints = [listTokens, revokeToken];
