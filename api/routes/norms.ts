/** Measured agents beside every score, which maintainers name. */
import { Type } from 'typebox';
import { addNorm, normLabelMax, removeNorm } from '#domain/norms/change-norms.ts';
import { listNorms } from '#domain/norms/list-norms.ts';
import { endpoint } from '../endpoint.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import { RunNorm, showNorm } from '../schemas/norm.ts';
import { component, object } from '../schemas/object.ts';
import { line } from '../schemas/text.ts';
import { nextCursor, paging, uuid } from '../schemas/values.ts';

const NormResponse = component('NormResponse', object({ norm: RunNorm }));

const list = endpoint({
  method: 'GET',
  path: '/v1/admin/norms',
  summary: 'List the runs that are or were norms, newest first',
  description:
    'For maintainers. Scorecards, comparisons and the leaderboard show the norms of their product, suite version and pack, by label.',
  tag: 'operation',
  auth: 'maintainer',
  query: object({ ...paging() }),
  responses: {
    200: {
      description: 'A page of norms, with those that were removed.',
      schema: component('RunNorms', object({ norms: Type.Array(RunNorm), next_cursor: nextCursor() })),
    },
  },
  handle: async ({ ctx, query, request }) => {
    const page = await listNorms(ctx, pageAsked(query));
    return pageResponse(request, page, { norms: page.items.map(showNorm) });
  },
});

const add = endpoint({
  method: 'POST',
  path: '/v1/admin/norms',
  summary: 'Show the score of a completed run beside other scores',
  description:
    'For maintainers. The run must be of the current suite version. Runs with one label count as one, by the mean of their scores. Another label for the same run replaces the first.',
  tag: 'operation',
  auth: 'maintainer',
  body: component(
    'NormAddition',
    object({
      run_id: uuid('Of any agent.'),
      label: line({
        max: normLabelMax,
        description: 'What was measured, how and when.',
        example: 'a large language model without code, cold, November 2026',
      }),
    }),
  ),
  responses: { 201: { description: 'The norm.', schema: NormResponse } },
  errors: [
    'run_not_found',
    'run_not_ended',
    'product_mismatch',
    'suite_version_mismatch',
    'eval_job_not_completed',
    'agent_run_not_completed',
  ],
  idempotent: 'transaction',
  handle: async ({ ctx, body }) => {
    const norm = await addNorm(ctx, { runId: body.run_id, label: body.label });
    return { norm: showNorm({ norm, addedBy: ctx.agent.handle, removedBy: null }) };
  },
});

const remove = endpoint({
  method: 'DELETE',
  path: '/v1/admin/norms/:run_id',
  summary: 'Stop showing the score of a run beside other scores',
  description: 'For maintainers. The list keeps it, with who removed it.',
  tag: 'operation',
  auth: 'maintainer',
  params: object({ run_id: uuid('The run of the norm.') }),
  responses: {
    200: {
      description: 'The norm is removed.',
      schema: component('NormRemoved', object({ ok: Type.Literal(true) })),
    },
  },
  errors: ['norm_not_found'],
  handle: async ({ ctx, params }) => {
    await removeNorm(ctx, { runId: params.run_id });
    return { ok: true as const };
  },
});

export const normEndpoints = [list, add, remove];
