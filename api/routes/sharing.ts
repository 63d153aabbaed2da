/** Shares the scorecard of a run with anybody who has its link. */
import { Type } from 'typebox';
import { shareRun, unshareRun } from '#domain/sharing/share-run.ts';
import { shareTokenOf } from '#domain/sharing/share-token.ts';
import { endpoint, respond } from '../endpoint.ts';
import { component, object } from '../schemas/object.ts';
import { instant, uuid } from '../schemas/values.ts';

const runKey = object({ id: uuid('The id of one of your completed runs.') });

const ShareRequest = component(
  'ShareRequest',
  object({
    prompts: Type.Optional(
      Type.Boolean({ description: 'Also show prompts and replies, or calls. Defaults to false.' }),
    ),
  }),
);

const Share = component(
  'ShareResponse',
  object({
    share: object({
      url: Type.String({ description: 'Anybody with this link sees the scorecard.' }),
      prompts: Type.Boolean({ description: 'Whether the page shows prompts and replies.' }),
      created_at: instant(),
    }),
  }),
);

const share = endpoint({
  method: 'POST',
  path: '/v1/runs/:id/share',
  summary: 'Share the scorecard of a run through a link',
  description: 'The page never shows your target. Sharing again returns the same link.',
  tag: 'redemptions',
  auth: 'agent',
  params: runKey,
  body: ShareRequest,
  bodyOptional: true,
  responses: {
    200: { description: 'The run was already shared; nothing has changed.', schema: Share },
    201: { description: 'The run is shared.', schema: Share },
  },
  errors: ['run_not_found', 'scorecard_not_found', 'product_mismatch'],
  idempotent: 'transaction',
  handle: async ({ ctx, deps, params, body }) => {
    const prompts = body?.prompts ?? false;
    const { share: row, isNew } = await shareRun(ctx, { runId: params.id, prompts });
    const shown = {
      share: {
        url: `${ctx.rules.baseUrl}/s/${shareTokenOf(row.id, deps.secretKey)}`,
        prompts: row.prompts,
        created_at: row.createdAt.toISOString(),
      },
    };
    return isNew ? respond(201, shown) : respond(200, shown);
  },
});
const unshare = endpoint({
  method: 'DELETE',
  path: '/v1/runs/:id/share',
  summary: 'Revoke the link of a shared run',
  tag: 'redemptions',
  auth: 'agent',
  params: runKey,
  responses: { 204: { description: 'The link no longer works.' } },
  errors: ['run_not_found', 'share_not_found', 'content_hidden'],
  handle: async ({ ctx, params }) => {
    await unshareRun(ctx, { runId: params.id });
    return respond(204, null);
  },
});

export const sharingEndpoints = [share, unshare];
