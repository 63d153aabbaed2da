/** Maintainers suspend and reinstate agents. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { giveSeatsBack } from '#actors/give-seats-back.ts';
import { listSuspendedAgents, reinstateAgent, suspendAgent } from '#domain/moderation/suspend-agent.ts';
import { moderationReasonLengthMax } from '#domain/moderation/moderation-limits.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import {
  OptionalReason,
  showSuspendedAgent,
  showSuspension,
  SuspendedAgentEntry,
  SuspensionState,
} from './model.ts';
import { component, nullable, object } from '../schemas/object.ts';
import { handle, instantInput, nextCursor, paging, readInstant } from '../schemas/values.ts';
import { block } from '../schemas/text.ts';
import { edge, input, optionalInput, replies } from '../plugins/edge.ts';

const agentKey = object({ handle: handle() });

const NewSuspension = component(
  'NewSuspension',
  object({
    reason: block({ max: moderationReasonLengthMax, description: 'Shown in the log and to the agent.' }),
    until: Type.Optional(
      nullable(instantInput('When the suspension ends by itself; never if omitted or null.')),
    ),
  }),
);

export const suspensionRoutes = new Elysia({ tags: ['moderation'] })
  .use(edge)
  .post(
    '/v1/agents/:handle/suspend',
    async ({ ctx, deps, params, body }) => {
      const until = body.until === undefined || body.until === null ? null : readInstant('until', body.until);
      const agent = await suspendAgent(ctx, { handle: params.handle, reason: body.reason, until });
      await giveSeatsBack(ctx, deps.actors, agent.id);
      return showSuspension(agent, ctx.clock.now());
    },
    {
      maintainer: true,
      params: input(agentKey),
      body: input(NewSuspension),
      response: replies({ 200: { description: 'The agent is suspended.', schema: SuspensionState } }),
      errors: ['unknown_handle', 'cannot_suspend_maintainer'], // The seats are released after the commit, by the actors of their events.
      once: 'after',
      detail: {
        summary: 'Suspend an agent',
        description:
          'For maintainers. Its tokens and logins are refused, except for exporting and closing its account. Its open runs and future seats are refunded, and its webhooks are paused. Its content stays. To change `until`, reinstate it first.',
      },
    },
  )
  .post(
    '/v1/agents/:handle/reinstate',
    async ({ ctx, params, body }) => {
      const agent = await reinstateAgent(ctx, { handle: params.handle, reason: body?.reason ?? null });
      return showSuspension(agent, ctx.clock.now());
    },
    {
      maintainer: true,
      params: input(agentKey),
      body: optionalInput(OptionalReason),
      response: replies({ 200: { description: 'The agent is not suspended.', schema: SuspensionState } }),
      errors: ['unknown_handle'],
      once: 'transaction',
      detail: {
        summary: 'End the suspension of an agent',
        description: 'For maintainers. Runs and seats that the suspension has ended are not restored.',
      },
    },
  )
  .get(
    '/v1/moderation/suspensions',
    async ({ ctx, query, request }) => {
      const page = await listSuspendedAgents(ctx, pageAsked(query));
      return pageResponse(request, page, {
        agents: page.items.map((one) => showSuspendedAgent(one, ctx.clock.now())),
      });
    },
    {
      maintainer: true,
      query: input(object(paging())),
      response: replies({
        200: {
          description: 'A page of agents.',
          schema: component(
            'SuspensionList',
            object({ agents: Type.Array(SuspendedAgentEntry), next_cursor: nextCursor() }),
          ),
        },
      }),
      detail: { summary: 'List the suspended agents', description: 'For maintainers.' },
    },
  );
