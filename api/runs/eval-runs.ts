/** Eval runs with their scorecards. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { listRuns, findOwnRun } from '#domain/runs/find-run.ts';
import { reportPlain } from '#domain/runs/report-run.ts';
import { showOwnRun, type ShownRun } from '#domain/runs/show-run.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import { EvalRun, showEvalRun, showRun } from './model.ts';
import { listed, named, nullable, object, paging, patterned, uuid } from '../schemas.ts';
import { edge, fields, input, ok, replies } from '../plugins/edge.ts';
import { writeHtml } from '#evals/report/html.ts';
import { writeJson } from '#evals/report/json.ts';
import type { Report } from '#evals/report/report.ts';
import { writeMarkdown } from '#evals/report/text.ts';
import { RunDetail, showRunDetail } from '../suites/run-model.ts';
import type { Wire } from '../wire.ts';
import { showCasePrompt } from '#domain/runs/products/eval-run/show-prompt.ts';
import { streamProgress } from '../streams/progress-stream.ts';

export const EvalRunDetail = named('EvalJobDetail', {
  ...RunDetail.properties,
  scorecard: nullable(
    object(
      {
        score_md: Type.String(),
        score_html: Type.String(),
        score_json: Type.Record(Type.String(), Type.Unknown()),
      },
      { description: 'The report of the run in three formats. Null until it has completed.' },
    ),
  ),
});

/** @param report null if no scorecard is to be shown */
export async function showEvalRunDetail(
  shown: ShownRun,
  report: Report | null,
): Promise<Wire<typeof EvalRunDetail>> {
  const detail = showRunDetail(shown);
  return {
    ...detail,
    scorecard: report === null ? null : await showScorecard(report),
    cases: detail.cases ?? [],
    cases_pruned_at: shown.run.itemsPrunedAt?.toISOString() ?? null,
  };
}

async function showScorecard(report: Report) {
  return {
    score_md: await textOf(writeMarkdown(report)),
    score_html: await textOf(writeHtml(report)),
    // What `writeJson` writes is an object.
    score_json: JSON.parse(await textOf(writeJson(report))) as Record<string, unknown>,
  };
}

async function textOf(parts: AsyncGenerator<string>): Promise<string> {
  return (await Array.fromAsync(parts)).join('');
}

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
      query: fields(paging()),
      response: ok('A page of your eval runs.', listed('EvalJobList', { eval_jobs: EvalRun })),
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
      query: fields({
        include: Type.Optional(
          patterned(
            '^(none|cases|scorecard|cases,scorecard|scorecard,cases)$',
            'be `none`, `cases`, `scorecard` or `cases,scorecard`',
            { description: 'The parts to include; both by default.', examples: ['none'] },
          ),
        ),
      }),
      response: ok(
        'The job with its scorecard and its cases.',
        named('EvalJobResponse', { eval_job: EvalRunDetail }),
      ),
      errors: ['run_not_found'],
      detail: {
        summary: 'Get an eval run with its scorecard',
        description:
          'The scorecard and the cases appear once the run has completed. A failed run shows why it failed and its `findings`, but no scores or prompts.',
      },
    },
  )
  .get(
    '/v1/runs/:id/cases/:case_id/prompt',
    async ({ ctx, params }) => {
      const prompt = await showCasePrompt(ctx, { runId: params.id, named: params.case_id });
      return new Response(prompt, { headers: { 'content-type': 'text/plain; charset=utf-8' } });
    },
    {
      agent: true,
      params: fields({
        id: uuid('The id of one of your completed eval runs.'),
        case_id: patterned('^[a-z0-9-]{1,40}$', 'be the id of a case, such as length-4', {
          examples: ['length-4'],
        }),
      }),
      response: replies({ 200: { description: 'The prompt as text.', contentType: 'text/plain' } }),
      errors: ['run_not_found', 'run_not_completed', 'case_not_found', 'gone'],
      detail: {
        summary: 'Get the full prompt of a case',
        description: "Prompts are not stored: the hub regenerates them from the run's seed.",
      },
    },
  )
  .get(
    '/v1/runs/:id/events',
    async (call) => {
      const runId = call.params.id;
      await findOwnRun(call.ctx, { runId });
      return streamProgress(call, runId, (run) => ({ run: showRun(run) }));
    },
    {
      agent: true,
      params: input(runKey),
      response: replies({ 200: { description: 'A stream of events.', contentType: 'text/event-stream' } }),
      errors: ['run_not_found'],
      detail: {
        summary: 'Follow a run of any product',
        description:
          'Server-Sent Events: `progress` for each case that ends (from the first, or after `Last-Event-ID`), then `completed` or `failed` with the run, then the stream ends.',
      },
    },
  );
