/** What a run of any product has: its state, its end, and its comparison with another run. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { cancelRun as endRun } from '#domain/runs/cancel-run.ts';
import { compareRuns } from '#domain/runs/compare-runs.ts';
import { listRuns } from '#domain/runs/find-run.ts';
import { productNames } from '#domain/runs/products.ts';
import { regradeRun } from '#domain/runs/regrade-run.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { pageResponse } from '../response/page-response.ts';
import { Run, showRun, runLabel, runStatus } from './model.ts';
import { listed, named, object, oneOf, pageMax, paging, uuid } from '../schemas.ts';
import { comparisonMarkdown } from '../markdown/comparison-markdown.ts';
import { suiteRef } from '../suites/model.ts';
import { RunComparison, RunDetail, showComparison, showRunDetail } from '../suites/run-model.ts';
import { edge, fields, input, ok, optionalInput } from '../plugins/edge.ts';

const runKey = object({ id: uuid('The id of one of your runs.') });

export const anyRunRoutes = new Elysia({ tags: ['redemptions'] })
  .use(edge)
  .get(
    '/v1/runs/:id',
    async ({ ctx, params, query }) => ({
      run: showRunDetail(await showOwnRun(ctx, { runId: params.id, withCases: query.include === 'cases' })),
    }),
    {
      agent: true,
      params: input(runKey),
      query: fields({
        include: Type.Optional(
          oneOf(['none', 'cases'], { default: 'none', description: 'Whether it shows its cases.' }),
        ),
      }),
      response: ok('The run.', named('RunResponse', { run: RunDetail })),
      errors: ['run_not_found'],
      detail: {
        summary: 'Get a run of any product',
        description: 'With its `result` and what is wrong with the agent (`findings`), also if it failed.',
      },
    },
  )
  .post(
    '/v1/runs/:id/cancel',
    async ({ ctx, params }) => ({ run: showRun(await endRun(ctx, { runId: params.id })) }),
    {
      agent: true,
      params: input(runKey),
      response: ok('The run, which has ended.', named('RunCancelled', { run: Run })),
      errors: ['run_not_found', 'run_ended'],
      once: 'transaction',
      detail: {
        summary: 'Cancel a run',
        description:
          'A run with a reply is completed and charged, and what is open scores 0; so is a ranked run that has begun, and it counts. Otherwise the run fails with the code `cancelled` and is refunded.',
      },
    },
  )
  .post(
    '/v1/runs/:id/regrade',
    async ({ ctx, params, body }) => {
      const { version = null, label = null } = body ?? {};
      return { run: showRun(await regradeRun(ctx, { runId: params.id, version, label })) };
    },
    {
      agent: true,
      params: input(runKey),
      body: optionalInput(
        named('RegradeRequest', {
          version: Type.Optional(
            Type.Integer({ minimum: 1, description: 'Of the suite; the newest by default.' }),
          ),
          label: Type.Optional(runLabel('Of the new run.')),
        }),
      ),
      response: ok('The new run, which is queued.', named('RunRegraded', { run: Run })),
      errors: [
        'run_not_found',
        'run_not_completed',
        'gone',
        'conflict',
        'not_found',
        'content_hidden',
        'too_many_open_jobs',
        'too_many_failed_runs',
      ],
      once: 'transaction',
      detail: {
        summary: 'Regrade the stored replies of a run',
        description:
          'A new run of a suite, free and never ranked: the replies of a completed run that is not struck off, graded by another version. Cases of the version that are new, or ask something else, are not asked, and the run names them. A reply of which only the beginning is stored gets no verdict.',
      },
    },
  )
  .get(
    '/v1/runs/:id/compare/:other_id',
    async ({ ctx, params: { id: runId, other_id: otherRunId } }) => ({
      comparison: showComparison(await compareRuns(ctx, { runId, otherRunId })),
    }),
    {
      agent: true,
      params: fields({
        id: uuid('The id of one of your completed runs.'),
        other_id: uuid('Another one of the same product.'),
      }),
      markdown: comparisonMarkdown,
      response: ok(
        'What improved and what got worse.',
        named('RunComparisonResponse', { comparison: RunComparison }),
      ),
      errors: ['run_not_found', 'run_not_completed', 'conflict'],
      detail: {
        summary: 'Compare two of your completed runs of one product',
        description:
          'What changed from the run `id` (`before`) to the run `other_id` (`after`), case by case. Of a published suite, also of different versions, only cases with the same content in both are compared. `reach.sample` says whether both runs asked the same cases: eval runs with different seeds are two samples of cases of the same kinds.',
      },
    },
  )
  .get(
    '/v1/runs',
    async ({ ctx, query, request }) => {
      const { limit = pageMax, cursor = null, ...filter } = query;
      const page = await listRuns(ctx, { limit, cursor, ...filter });
      return pageResponse(request, page, { runs: page.items.map(showRun) });
    },
    {
      agent: true,
      query: fields({
        ...paging(),
        product: Type.Optional(oneOf([...productNames], { description: 'All products by default.' })),
        suite: Type.Optional(suiteRef('Only runs of this suite.')),
        label: Type.Optional(runLabel('Only runs with this label.')),
        status: Type.Optional(runStatus()),
      }),
      response: ok('A page of your runs.', listed('RunList', { runs: Run })),
      detail: { summary: 'List your runs of all products, newest first' },
    },
  );
