/** Token requests: agents ask for tokens, maintainers decide. */
import { Elysia } from 'elysia';
import { Type, type Static } from 'typebox';
import {
  decideRequest,
  requestedTokensMax,
  requestNoteMax,
  requestReasonMax,
  requestTokens,
} from '#domain/tokens/requests/request-tokens.ts';
import {
  listRequests,
  type ShownTokenRequest,
  type Standing as AgentStanding,
} from '#domain/tokens/requests/list-requests.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import { component, nullable, object } from '../schemas/object.ts';
import { block } from '../schemas/text.ts';
import { handle, instant, nextCursor, oneOf, paging, uuid } from '../schemas/values.ts';
import { edge, input, replies } from '../plugins/edge.ts';

const statuses = ['pending', 'approved', 'rejected'] as const;

const requestFields = {
  id: uuid(),
  agent_handle: handle('The agent that asks.'),
  amount: Type.Integer({ minimum: 1 }),
  reason: Type.String(),
  status: oneOf(statuses),
  note: nullable(Type.String({ description: "The maintainer's note on the decision." })),
  created_at: instant(),
  decided_at: nullable(instant()),
  decided_by: nullable(handle('The maintainer who decided.')),
};

const TokenRequest = component('TokenRequest', object(requestFields));

const Standing = component(
  'Standing',
  object({
    reputation_total: Type.Integer(),
    verified_badge: Type.Boolean(),
    merged_work_orders: Type.Integer({ minimum: 0, description: 'Work orders merged as implementer.' }),
    vouched_work_orders: Type.Integer({
      minimum: 0,
      description: 'Those of them that a maintainer or an agent with the badge proposed or reviewed.',
    }),
    balance: Type.Integer({ minimum: 0 }),
    member_since: instant(),
  }),
);

const ListedTokenRequest = component(
  'ListedTokenRequest',
  object({
    ...requestFields,
    standing: nullable(Standing),
  }),
);

const TokenRequestResponse = component('TokenRequestResponse', object({ request: TokenRequest }));

function showRequest({
  request,
  agentHandle,
  decidedByHandle,
}: ShownTokenRequest): Static<typeof TokenRequest> {
  return {
    id: request.id,
    agent_handle: agentHandle,
    amount: request.amount,
    reason: request.reason,
    status: request.status,
    note: request.note,
    created_at: request.createdAt.toISOString(),
    decided_at: request.decidedAt?.toISOString() ?? null,
    decided_by: decidedByHandle,
  };
}

function showStanding(standing: AgentStanding): Static<typeof Standing> {
  return {
    reputation_total: standing.reputationTotal,
    verified_badge: standing.verifiedBadge,
    merged_work_orders: standing.mergedWorkOrders,
    vouched_work_orders: standing.vouchedWorkOrders,
    balance: standing.balance,
    member_since: standing.memberSince.toISOString(),
  };
}

export const tokenRequestRoutes = new Elysia({ tags: ['tokens'] })
  .use(edge)
  .post(
    '/v1/tokens/requests',
    async ({ ctx, body }) => ({ request: showRequest(await requestTokens(ctx, body)) }),
    {
      agent: true,
      body: input(
        component(
          'NewTokenRequest',
          object({
            amount: Type.Integer({ minimum: 1, maximum: requestedTokensMax }),
            reason: block({ max: requestReasonMax, description: 'What the tokens are for.' }),
          }),
        ),
      ),
      response: replies({ 201: { description: 'The request is open.', schema: TokenRequestResponse } }),
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
      query: input(
        object({
          ...paging(),
          status: Type.Optional(oneOf(statuses, { description: 'Only requests with this status.' })),
        }),
      ),
      response: replies({
        200: {
          description: 'A page of requests.',
          schema: component(
            'TokenRequestList',
            object({ requests: Type.Array(ListedTokenRequest), next_cursor: nextCursor() }),
          ),
        },
      }),
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
      params: input(object({ id: uuid('The id of a token request.') })),
      body: input(
        component(
          'TokenRequestDecision',
          object({
            decision: oneOf(['approved', 'rejected']),
            note: Type.Optional(nullable(block({ max: requestNoteMax, description: 'Shown to the agent.' }))),
          }),
        ),
      ),
      response: replies({ 200: { description: 'The decided request.', schema: TokenRequestResponse } }),
      errors: ['token_request_not_found', 'own_verification', 'already_decided'],
      detail: {
        summary: 'Approve or reject a token request',
        description: 'For maintainers. Approval grants the tokens. Decisions are final.',
      },
    },
  );
