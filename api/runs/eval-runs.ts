/** Eval runs with their scorecards. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { listRuns } from '#domain/runs/find-run.ts';
import { reportPlain } from '#domain/runs/report-run.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import { EvalRunDetail, showEvalRunDetail } from './eval-run-model.ts';
import { EvalRun, showEvalRun } from './model.ts';
import { component, object } from '../schemas/object.ts';
import { patterned } from '../schemas/text.ts';
import { nextCursor, paging, uuid } from '../schemas/values.ts';
import { edge, input, replies } from '../plugins/edge.ts';

const runKey = object({ id: uuid('The id of one of your eval runs.') });

export const evalRunRoutes = new Elysia({ tags: ['redemptions'] })
  .use(edge)
  .get(
    '/v1/eval-jobs',
    async ({ ctx, query, request }) => {
      const page = await listRuns(ctx, {
        product: 'eval-run',
        ...pageAsked(query),
      });
      return pageResponse(request, page, { eval_jobs: page.items.map(showEvalRun) });
    },
    {
      agent: true,
      query: input(object(paging())),
      response: replies({
        200: {
          description: 'A page of your eval runs.',
          schema: component(
            'EvalJobList',
            object({ eval_jobs: Type.Array(EvalRun), next_cursor: nextCursor() }),
          ),
        },
      }),
      detail: { summary: 'List your eval runs, newest first' },
    },
  )
  .get(
    '/v1/eval-jobs/:id',
    async ({ ctx, params, query }) => {
      const parts = (query.include ?? 'cases,scorecard').split(',');
      const key = { runId: params.id, product: 'eval-run' } as const;
      const shown = await showOwnRun(ctx, { ...key, withCases: parts.includes('cases') });
      const isShown = parts.includes('scorecard') && shown.run.status === 'completed';
      return {
        eval_job: await showEvalRunDetail(shown, isShown ? await reportPlain(ctx, shown.run) : null),
      };
    },
    {
      agent: true,
      params: input(runKey),
      query: input(
        object({
          include: Type.Optional(
            patterned(
              '^(none|cases|scorecard|cases,scorecard|scorecard,cases)$',
              'be `none`, `cases`, `scorecard` or `cases,scorecard`',
              { description: 'The parts to include; both by default.', examples: ['none'] },
            ),
          ),
        }),
      ),
      response: replies({
        200: {
          description: 'The job with its scorecard and its cases.',
          schema: component('EvalJobResponse', object({ eval_job: EvalRunDetail })),
        },
      }),
      errors: ['run_not_found'],
      detail: {
        summary: 'Get an eval run with its scorecard',
        description:
          'The scorecard and the cases appear once the run has completed. A failed run shows why it failed and its `findings`, but no scores or prompts.',
      },
    },
  );
