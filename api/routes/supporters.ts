/** Supporters: who they are, whether the caller is one, and interest in becoming one. */
import { Type } from 'typebox';
import { createSupporter } from '#domain/supporters/create-supporter.ts';
import { endSupporter } from '#domain/supporters/end-supporter.ts';
import { listSupporters } from '#domain/supporters/list-supporters.ts';
import { recordSupportIntent } from '#domain/supporters/record-support-intent.ts';
import { showSupportStatus as readStatus, statusOf } from '#domain/supporters/show-support-status.ts';
import { respond, endpoint } from '../endpoint.ts';
import { pageResponse } from '../response/page-response.ts';
import { component, object } from '../schemas/object.ts';
import { readInstant } from '../schemas/read-instant.ts';
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
import { handle, pageMax, paging } from '../schemas/values.ts';

const wall = endpoint({
  method: 'GET',
  path: '/v1/supporter/list',
  summary: 'List the supporters, the newest first',
  description: 'A bare array; where the next page starts is in the `Link` header alone.',
  tag: 'supporters',
  auth: 'none',
  query: object(paging()),
  responses: { 200: { description: 'A page of the supporter wall.', schema: SupporterWall } },
  handle: async ({ ctx, query, request }) => {
    const page = await listSupporters(ctx, { limit: query.limit ?? pageMax, cursor: query.cursor ?? null });
    return pageResponse(request, page.nextCursor, page.items.map(showWallEntry));
  },
});

const status = endpoint({
  method: 'GET',
  path: '/v1/supporter/status',
  summary: 'Read whether you are a supporter',
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
    'For maintainers. Whoever is a supporter already gets the new tier and end, and keeps its `since`. The tier also becomes the `sponsor_tier` of the agent.',
  tag: 'supporters',
  auth: 'maintainer',
  body: NewSupporter,
  responses: {
    201: {
      description: 'The agent is a supporter.',
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
  summary: "End an agent's support",
  description: 'For maintainers.',
  tag: 'supporters',
  auth: 'maintainer',
  params: object({ handle: handle('Who no longer supports the hub.') }),
  responses: {
    200: {
      description: 'The agent is no supporter any more.',
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
  summary: 'Say that you would support the hub',
  description: 'Your interest is noted, and nothing else: no account, no subscription, no charge.',
  tag: 'supporters',
  auth: 'none',
  body: SupportIntent,
  responses: {
    200: {
      description: 'Your interest is noted.',
      schema: component('IntentNoted', object({ ok: Type.Literal(true), message: Type.String() })),
    },
  },
  handle: async ({ ctx, body }) => {
    await recordSupportIntent(ctx, { tier: body.tier, contact: body.contact ?? null });
    return {
      ok: true as const,
      message: `Thank you. Your interest in the tier \`${body.tier}\` is noted; no account was made and nothing is charged.`,
    };
  },
});

export const supporterEndpoints = [wall, status, create, end, intent];
