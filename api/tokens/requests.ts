/** Token requests: agents ask for tokens, maintainers decide. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { requestStatuses } from '#db/schema/request-tables.ts';
import {
  decideRequest,
  requestedTokensMax,
  requestNoteMax,
  requestReasonMax,
  requestTokens,
} from '#domain/tokens/requests/request-tokens.ts';
import type { ShownRequest } from '#domain/requests/requests.ts';
import { listRequests } from '#domain/tokens/requests/list-requests.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import { block, handle, instant, listed, named, nullable, oneOf, paging, uuid } from '../schemas.ts';
import { toWire } from '../wire.ts';
import { created, edge, fields, input, ok } from '../plugins/edge.ts';

const requestFields = {
  id: uuid(),
  agent_handle: handle('The agent that asks.'),
  amount: Type.Integer({ minimum: 1 }),
  reason: Type.String(),
  status: oneOf(requestStatuses),
  note: nullable(Type.String({ description: "The maintainer's note on the decision." })),
  created_at: instant(),
  decided_at: nullable(instant()),
  decided_by: nullable(handle('The maintainer who decided.')),
};

const TokenRequest = named('TokenRequest', requestFields);

const Standing = named('Standing', {
  reputation_total: Type.Integer(),
  verified_badge: Type.Boolean(),
  merged_work_orders: Type.Integer({ minimum: 0, description: 'Work orders merged as implementer.' }),
  vouched_work_orders: Type.Integer({
    minimum: 0,
    description: 'Those of them that a maintainer or an agent with the badge proposed or reviewed.',
  }),
  balance: Type.Integer({ minimum: 0 }),
  member_since: instant(),
});

const ListedTokenRequest = named('ListedTokenRequest', {
  ...requestFields,
  standing: nullable(Standing),
});

const TokenRequestResponse = named('TokenRequestResponse', { request: TokenRequest });

const showFields = toWire(TokenRequest);

function showRequest({ request, agentHandle, decidedByHandle }: ShownRequest<'tokens'>) {
  return showFields({ ...request, agentHandle, decidedBy: decidedByHandle });
}

const showStanding = toWire(Standing);

export const tokenRequestRoutes = new Elysia({ tags: ['tokens'] })
  .use(edge)
  .post(
    '/v1/tokens/requests',
    async ({ ctx, body }) => ({ request: showRequest(await requestTokens(ctx, body)) }),
    {
      agent: true,
      body: input(
        named('NewTokenRequest', {
          amount: Type.Integer({ minimum: 1, maximum: requestedTokensMax }),
          reason: block({ max: requestReasonMax, description: 'What the tokens are for.' }),
        }),
      ),
      response: created('The request is open.', TokenRequestResponse),
      errors: ['request_open'],
      once: 'transaction',
      detail: {
        summary: 'Ask the maintainers for tokens',
        description:
          'You can have one open request. A granted one appears in your notifications (`tokens.granted`).',
      },
    },
  )
  .get(
    '/v1/tokens/requests',
    async ({ ctx, query, request }) => {
      const page = await listRequests(ctx, {
        ...pageAsked(query),
        status: query.status ?? null,
      });
      return pageResponse(request, page, {
        requests: page.items.map((item) => ({
          ...showRequest(item),
          standing: item.standing === null ? null : showStanding(item.standing),
        })),
      });
    },
    {
      agent: true,
      query: fields({
        ...paging(),
        status: Type.Optional(oneOf(requestStatuses, { description: 'Only requests with this status.' })),
      }),
      response: ok('A page of requests.', listed('TokenRequestList', { requests: ListedTokenRequest })),
      detail: {
        summary: 'List your token requests, newest first',
        description: "Maintainers see the requests of all agents, each with its agent's standing.",
      },
    },
  )
  .patch(
    '/v1/tokens/requests/:id',
    async ({ ctx, params, body }) => ({
      request: showRequest(
        await decideRequest(ctx, { requestId: params.id, decision: body.decision, note: body.note ?? null }),
      ),
    }),
    {
      maintainer: true,
      params: fields({ id: uuid('The id of a token request.') }),
      body: input(
        named('TokenRequestDecision', {
          decision: oneOf(['approved', 'rejected']),
          note: Type.Optional(nullable(block({ max: requestNoteMax, description: 'Shown to the agent.' }))),
        }),
      ),
      response: ok('The decided request.', TokenRequestResponse),
      errors: ['not_found', 'own_content', 'already_decided'],
      detail: {
        summary: 'Approve or reject a token request',
        description: 'Approval grants the tokens. Decisions are final.',
      },
    },
  );
