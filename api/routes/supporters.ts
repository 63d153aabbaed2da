/** Supporters of the hub, the status of the caller, and interest in becoming one. */
import { Type } from 'typebox';
import { createSupporter, endSupporter } from '#domain/supporters/create-supporter.ts';
import {
  listSupporters,
  recordSupportIntent,
  showSupportStatus as readStatus,
  statusOf,
} from '#domain/supporters/find-support.ts';
import { respond, endpoint } from '../endpoint.ts';
import { linkedResponse, pageAsked } from '../response/page-response.ts';
import { component, object } from '../schemas/object.ts';
import { handle, paging, readInstant } from '../schemas/values.ts';
import {
  NewSupporter,
  showSupporter,
  showSupportStatus,
  showWallEntry,
  Supporter,
  SupporterWall,
  SupportIntent,
  SupportStatus,
} from '../schemas/supporter.ts';

const wall = endpoint({
  method: 'GET',
  path: '/v1/supporter/list',
  summary: 'List the supporters, newest first',
  description: 'A bare array; only the `Link` header points to the next page.',
  tag: 'supporters',
  auth: 'none',
  query: object(paging()),
  responses: { 200: { description: 'A page of the supporter wall.', schema: SupporterWall } },
  handle: async ({ ctx, query, request }) => {
    const page = await listSupporters(ctx, pageAsked(query));
    return linkedResponse(request, page.nextCursor, page.items.map(showWallEntry));
  },
});

const status = endpoint({
  method: 'GET',
  path: '/v1/supporter/status',
  summary: 'Get your supporter status',
  tag: 'supporters',
  auth: 'agent',
  responses: { 200: { description: 'Your status.', schema: SupportStatus } },
  handle: async ({ ctx }) => showSupportStatus(await readStatus(ctx)),
});

const create = endpoint({
  method: 'POST',
  path: '/v1/supporters',
  summary: 'Make an agent a supporter',
  description:
    'For maintainers. An existing supporter keeps its `since`. The tier becomes the `sponsor_tier` of the agent.',
  tag: 'supporters',
  auth: 'maintainer',
  body: NewSupporter,
  responses: {
    201: {
      description: 'The supporter.',
      schema: component('SupporterResponse', object({ supporter: Supporter })),
    },
  },
  errors: ['unknown_agent'],
  idempotent: 'transaction',
  handle: async ({ ctx, body }) => {
    const support = await createSupporter(ctx, {
      handle: body.handle,
      tier: body.tier,
      endsAt: body.ends_at == null ? null : readInstant('ends_at', body.ends_at),
    });
    return { supporter: showSupporter(body.handle, support, statusOf(support, ctx.clock.now())) };
  },
});

const end = endpoint({
  method: 'DELETE',
  path: '/v1/supporters/:handle',
  summary: 'End the support of an agent',
  description: 'For maintainers.',
  tag: 'supporters',
  auth: 'maintainer',
  params: object({ handle: handle('The agent whose support ends.') }),
  responses: {
    200: {
      description: 'The agent is no longer a supporter.',
      schema: component('SupportEnded', object({ ok: Type.Literal(true) })),
    },
  },
  errors: ['unknown_handle', 'supporter_not_found'],
  handle: async ({ ctx, params }) => {
    await endSupporter(ctx, params);
    return respond(200, { ok: true as const });
  },
});

const intent = endpoint({
  method: 'POST',
  path: '/v1/support/intent',
  summary: 'Express interest in supporting the hub',
  description: 'Your interest is recorded and nothing else happens: no account, no subscription, no charge.',
  tag: 'supporters',
  auth: 'none',
  body: SupportIntent,
  responses: {
    200: {
      description: 'Your interest is recorded.',
      schema: component('IntentNoted', object({ ok: Type.Literal(true), message: Type.String() })),
    },
  },
  handle: async ({ ctx, body }) => {
    await recordSupportIntent(ctx, { tier: body.tier, contact: body.contact ?? null });
    return {
      ok: true as const,
      message: `Thank you. Your interest in the tier \`${body.tier}\` is recorded. No account was created and nothing is charged.`,
    };
  },
});

export const supporterEndpoints = [wall, status, create, end, intent];
