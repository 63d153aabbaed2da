/** The bearer tokens of the calling agent: list and revoke. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { listBearerTokens, revokeBearerToken } from '#domain/agents/bearer-tokens.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import { BearerToken, showBearerToken } from './model.ts';
import { component, object } from '../schemas/object.ts';
import { nextCursor, paging, uuid } from '../schemas/values.ts';
import { edge, input, replies } from '../plugins/edge.ts';

export const agentTokenRoutes = new Elysia({ tags: ['agents'] })
  .use(edge)
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
      query: input(object(paging())),
      response: replies({
        200: {
          description: 'A page of your tokens.',
          schema: component(
            'BearerTokenList',
            object({ tokens: Type.Array(BearerToken), next_cursor: nextCursor() }),
          ),
        },
      }),
      detail: {
        summary: 'List your valid bearer tokens, newest first',
        description: 'Lists ids and times. The hub does not store the tokens themselves.',
      },
    },
  )
  .delete(
    '/v1/agents/me/tokens/:id',
    async ({ ctx, params }) => {
      await revokeBearerToken(ctx, { tokenId: params.id });
      return { ok: true as const };
    },
    {
      agent: true,
      params: input(object({ id: uuid('The id of one of your valid tokens.') })),
      response: replies({
        200: {
          description: 'The token is revoked.',
          schema: component('Done', object({ ok: Type.Literal(true) })),
        },
      }),
      errors: ['token_not_found'],
      detail: {
        summary: 'Revoke one of your bearer tokens',
        description:
          'The token stops working immediately. You may revoke the token that you are calling with.',
      },
    },
  );
