/** Eval runs with their scorecards. */
import { Elysia } from 'elysia';
import { Type, type Static } from 'typebox';
import { findOwnRun, listRuns } from '#domain/runs/find-run.ts';
import { reportPlain } from '#domain/runs/report-run.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { DomainError } from '#domain/errors.ts';
import { writeDetails } from '#evals/report/details.ts';
import { writeHtml } from '#evals/report/html.ts';
import { writeMarkdown } from '#evals/report/text.ts';
import { type AgentRunResponse, listAgentRuns, showRun } from './agent-run-tasks.ts';
import { showAgentScorecard } from './agent-run-scorecard.ts';
import { cancelAnyRun, completedBy, listAnyRuns, showAnyRun } from './any-run.ts';
import { tool, withoutEmptyFields } from '../mcp/tool.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import { pageOrMarkdown } from '../response/wants-markdown.ts';
import { EvalRunDetail, showEvalRunDetail, textOf } from '../schemas/eval-run.ts';
import { EvalRun, showEvalRun } from '../schemas/run.ts';
import { component, object } from '../schemas/object.ts';
import { patterned } from '../schemas/text.ts';
import { nextCursor, oneOf, paging, uuid } from '../schemas/values.ts';
import { operation } from '#domain/operation.ts';
import { edge, input, replies } from '../plugins/edge.ts';
import { operationAt } from '../plugins/operations.ts';

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
  )
  .get(
    '/v1/eval-jobs/:id/scorecard',
    async ({ ctx, params, query, request }) => {
      const run = await findOwnRun(ctx, { runId: params.id, product: 'eval-run' });
      if (run.status !== 'completed') {
        throw new DomainError(
          'scorecard_not_found',
          `This run is ${run.status}; only completed runs have a scorecard.`,
          { hint: `${operation('getEvalJob')} shows its progress, and the reason if it failed.` },
        );
      }
      const report = await reportPlain(ctx, run);
      const { detail = 'summary' } = query;
      const html = query.format === 'md' ? '' : await textOf(writeHtml(report));
      const markdown = await textOf(writeMarkdown(report));
      const details = detail === 'summary' ? '' : await textOf(writeDetails(report, detail));
      return pageOrMarkdown({ request, query }, { html: () => html, markdown: () => markdown + details });
    },
    {
      agent: true,
      params: input(runKey),
      query: input(
        object({
          format: Type.Optional(oneOf(['html', 'md'], { default: 'html' })),
          detail: Type.Optional(
            oneOf(['summary', 'failed', 'full'], {
              default: 'summary',
              description: 'For Markdown: `failed` adds the cases that have not passed, `full` every case.',
            }),
          ),
        }),
      ),
      response: replies({
        200: {
          description: 'A self-contained page, or Markdown with `format=md` or `Accept: text/markdown`.',
          contentType: 'text/html',
          otherContentTypes: ['text/markdown'],
        },
      }),
      errors: ['run_not_found', 'scorecard_not_found'],
      detail: { summary: 'Get the scorecard of a completed run as a web page or as Markdown' },
    },
  );

const listJobs = operationAt(evalRunRoutes, 'GET /v1/eval-jobs');
const showJob = operationAt(evalRunRoutes, 'GET /v1/eval-jobs/:id');
const showScorecardPage = operationAt(evalRunRoutes, 'GET /v1/eval-jobs/:id/scorecard');

export const evalRunTools = [
  tool({
    name: 'get_scorecard',
    title: 'Get a scorecard',
    description:
      'Get a run and, once completed, its scorecard; full: 20,000 tokens. Without run_id: list your runs.',
    routes: [
      {
        endpoint: showScorecardPage,
        names: { id: 'run_id' },
        chosenBy: ['run_id', 'detail'],
        fixed: { format: 'md', include: 'cases' },
        orElse: {
          code: 'run_not_found',
          endpoint: showAgentScorecard,
          orElse: { code: 'run_not_found', endpoint: showAnyRun },
        },
      },
      {
        endpoint: showJob,
        names: { id: 'run_id' },
        without: ['include'],
        orElse: {
          code: 'run_not_found',
          endpoint: showRun,
          orElse: { code: 'run_not_found', endpoint: showAnyRun },
        },
      },
      { endpoint: listAnyRuns, without: ['product'] },
    ],
    alsoNames: [listJobs, listAgentRuns],
    shape: withoutPage,
    about: { run_id: '', detail: '', limit: '', cursor: '', suite: '', label: '' },
  }),
  tool({
    name: 'cancel_run',
    title: 'Cancel a run',
    hints: { destructive: true, idempotent: true },
    description:
      'End a run early. With a reply, or ranked and begun, it is charged and scored; what is open scores 0. Otherwise it is refunded.',
    routes: [{ endpoint: cancelAnyRun, names: { id: 'run_id' } }],
    about: { run_id: '' },
  }),
];

/** Models get Markdown. The page and the cases would fill their context. */
function withoutPage(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  if ('text' in body) return { score_md: body.text };
  if ('agent_run' in body && 'scorecard' in body) {
    // The body of the endpoint of agent runs.
    const { agent_run, scorecard } = body as Static<typeof AgentRunResponse>;
    return withoutEmptyFields({ agent_run, score_md: scorecard?.score_md ?? null });
  }
  if (!('eval_job' in body)) return body;
  // The body of the endpoint above.
  const { eval_job: job } = body as { readonly eval_job: Static<typeof EvalRunDetail> };
  const { scorecard, cases: _cases, ...rest } = job;
  return withoutEmptyFields({ eval_job: rest, score_md: scorecard?.score_md ?? null });
}

export const evalRunResources = [
  {
    name: 'scorecard',
    description: 'The scorecard of one of your completed eval runs.',
    uri: '/v1/eval-jobs/{run_id}',
    mimeType: 'text/markdown',
    endpoint: showJob,
    names: { id: 'run_id' },
    completions: { run_id: completedBy('eval-run') },
    text: scorecardText,
  },
];

function scorecardText(body: unknown): string {
  // The body of the endpoint above.
  const { eval_job: job } = body as { readonly eval_job: Static<typeof EvalRunDetail> };
  return job.scorecard?.score_md ?? `This run is ${job.status}. It has no scorecard yet.`;
}
