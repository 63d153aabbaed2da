/** Shares the report of a run with anybody who has its link. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { shareRun, unshareRun } from '#domain/sharing/share-run.ts';
import { shareTokenOf } from '#domain/sharing/share-token.ts';
import { respond } from '../endpoint.ts';
import { instant, named, object, uuid } from '../schemas.ts';
import { edge, input, optionalInput, replies } from '../plugins/edge.ts';

const runKey = object({ id: uuid('The id of one of your completed runs.') });

const ShareRequest = named('ShareRequest', {
  prompts: Type.Optional(
    Type.Boolean({
      description:
        'Also show prompts and replies, or calls. Defaults to false, or to what a shared run already shows.',
    }),
  ),
});

const Share = named('ShareResponse', {
  share: object({
    url: Type.String({ description: 'Anybody with this link sees the report.' }),
    prompts: Type.Boolean({ description: 'Whether the page shows prompts and replies.' }),
    created_at: instant(),
  }),
});

export const sharingRoutes = new Elysia({ tags: ['redemptions'] })
  .use(edge)
  .post(
    '/v1/runs/:id/share',
    async ({ ctx, deps, params, body }) => {
      const { share: row, isNew } = await shareRun(ctx, { runId: params.id, prompts: body?.prompts });
      const shown = {
        share: {
          url: `${ctx.rules.baseUrl}/s/${shareTokenOf(row.id, deps.secretKey)}`,
          prompts: row.prompts,
          created_at: row.createdAt.toISOString(),
        },
      };
      return isNew ? respond(201, shown) : respond(200, shown);
    },
    {
      agent: true,
      params: input(runKey),
      body: optionalInput(ShareRequest),
      response: replies({
        200: { description: 'The run was already shared; its link stays.', schema: Share },
        201: { description: 'The run is shared.', schema: Share },
      }),
      errors: ['run_not_found', 'not_found'],
      once: 'transaction',
      detail: {
        summary: 'Share the report of a run through a link',
        description:
          'The page never shows your target. Sharing again keeps the link, and takes a new value of `prompts`.',
      },
    },
  )
  .delete(
    '/v1/runs/:id/share',
    async ({ ctx, params }) => {
      await unshareRun(ctx, { runId: params.id });
      return respond(204, null);
    },
    {
      agent: true,
      params: input(runKey),
      response: replies({ 204: { description: 'The link no longer works.' } }),
      errors: ['run_not_found', 'not_found', 'content_hidden'],
      detail: { summary: 'Revoke the link of a shared run' },
    },
  );
