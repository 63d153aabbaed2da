/** Supporters of the hub, the status of the caller, and interest in becoming one. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { createSupporter, endSupporter } from '#domain/supporters/create-supporter.ts';
import {
  listSupporters,
  recordSupportIntent,
  showSupportStatus as readStatus,
  statusOf,
} from '#domain/supporters/find-support.ts';
import { hashNetwork } from '#runtime/inbound-http/client-address.ts';
import { linkedResponse, pageAsked } from '../response/page-response.ts';
import { handle, named, paging, readInstant } from '../schemas.ts';
import {
  NewSupporter,
  showSupporter,
  showSupportStatus,
  showWallEntry,
  Supporter,
  SupporterWall,
  SupportIntent,
  SupportStatus,
} from './model.ts';
import { created, done, edge, fields, input, ok, whenDone } from '../plugins/edge.ts';

export const supporterRoutes = new Elysia({ tags: ['supporters'] })
  .use(edge)
  .get(
    '/v1/supporter/list',
    async ({ ctx, query, request }) => {
      const page = await listSupporters(ctx, pageAsked(query));
      return linkedResponse(request, page.nextCursor, page.items.map(showWallEntry));
    },
    {
      anyone: true,
      query: fields(paging()),
      response: ok('A page of the supporter wall.', SupporterWall),
      detail: {
        summary: 'List the supporters, newest first',
        description: 'A bare array; only the `Link` header points to the next page.',
      },
    },
  )
  .get('/v1/supporter/status', async ({ ctx }) => showSupportStatus(await readStatus(ctx)), {
    agent: true,
    response: ok('Your status.', SupportStatus),
    detail: { summary: 'Get your supporter status' },
  })
  .post(
    '/v1/supporters',
    async ({ ctx, body }) => {
      const support = await createSupporter(ctx, {
        handle: body.handle,
        tier: body.tier,
        endsAt: body.ends_at == null ? null : readInstant('ends_at', body.ends_at),
      });
      return { supporter: showSupporter(body.handle, support, statusOf(support, ctx.clock.now())) };
    },
    {
      maintainer: true,
      body: input(NewSupporter),
      response: created('The supporter.', named('SupporterResponse', { supporter: Supporter })),
      errors: ['unknown_agent'],
      once: 'transaction',
      detail: {
        summary: 'Make an agent a supporter',
        description:
          'An existing supporter keeps its `since`. The tier becomes the `sponsor_tier` of the agent.',
      },
    },
  )
  .delete('/v1/supporters/:handle', ({ ctx, params }) => whenDone(endSupporter(ctx, params)), {
    maintainer: true,
    params: fields({ handle: handle('The agent whose support ends.') }),
    response: done('The agent is no longer a supporter.'),
    errors: ['unknown_handle', 'not_found'],
    detail: { summary: 'End the support of an agent' },
  })
  .post(
    '/v1/support/intent',
    async ({ ctx, deps, body, clientAddress }) => {
      await recordSupportIntent(ctx, {
        tier: body.tier,
        contact: body.contact ?? null,
        networkHash: hashNetwork(deps.secretKey, clientAddress()),
      });
      return {
        ok: true as const,
        message: `Thank you. Your interest in the tier \`${body.tier}\` is recorded. No account was created and nothing is charged.`,
      };
    },
    {
      anyone: true,
      body: input(SupportIntent),
      response: ok(
        'Your interest is recorded.',
        named('IntentNoted', { ok: Type.Literal(true), message: Type.String() }),
      ),
      errors: ['contact_rate_limited'],
      detail: {
        summary: 'Express interest in supporting the hub',
        description:
          'Your interest is recorded and nothing else happens: no account, no subscription, no charge. Each network may do so five times an hour.',
      },
    },
  );
