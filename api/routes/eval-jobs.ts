/** Eval jobs: status, scorecards, comparison and live progress. */
import { Type, type Static } from 'typebox';
import { cancelRun as endRun } from '#domain/runs/cancel-run.ts';
import { listRuns } from '#domain/runs/find-run.ts';
import { findOwnEvalJob, showEvalJob as readEvalJob } from '#domain/eval-jobs/show-eval-job.ts';
import { DomainError } from '#domain/errors.ts';
import { scorecardMarkdown } from '#evals/scorecard/markdown.ts';
import { scorecardDocument } from '#site/documents/scorecard.tsx';
import { endpoint } from '../endpoint.ts';
import { cancelRun, showRun } from './agent-run-tasks.ts';
import { cancelAnyRun, showAnyRun } from './any-run.ts';
import { tool } from '../mcp/tool.ts';
import { streamProgress } from '../streams/progress-stream.ts';
import { pageResponse } from '../response/page-response.ts';
import { pageOrMarkdown } from '../response/wants-markdown.ts';
import { EvalJob, EvalJobDetail, showEvalJob, showEvalJobDetail } from '../schemas/eval-job.ts';
import { component, object } from '../schemas/object.ts';
import { patterned } from '../schemas/text.ts';
import { nextCursor, oneOf, pageMax, paging, uuid } from '../schemas/values.ts';
import { operation } from '#domain/operation.ts';

const evalJobKey = object({ id: uuid('The id of one of your eval jobs.') });

const listJobs = endpoint({
  method: 'GET',
  path: '/v1/eval-jobs',
  summary: 'List your eval jobs, newest first',
  tag: 'redemptions',
  auth: 'agent',
  query: object(paging()),
  responses: {
    200: {
      description: 'A page of your eval jobs.',
      schema: component('EvalJobList', object({ eval_jobs: Type.Array(EvalJob), next_cursor: nextCursor() })),
    },
  },
  handle: async ({ ctx, query, request }) => {
    const page = await listRuns(ctx, {
      product: 'eval-run',
      limit: query.limit ?? pageMax,
      cursor: query.cursor ?? null,
    });
    return pageResponse(request, page.nextCursor, {
      eval_jobs: page.items.map(showEvalJob),
      next_cursor: page.nextCursor,
    });
  },
});

const showJob = endpoint({
  method: 'GET',
  path: '/v1/eval-jobs/:id',
  summary: 'Get an eval job with its scorecard',
  description:
    'The scorecard and the cases appear once the run has completed. A failed run shows why it failed, but no scores or prompts.',
  tag: 'redemptions',
  auth: 'agent',
  params: evalJobKey,
  query: object({
    include: Type.Optional(
      patterned(
        '^(none|cases|scorecard|cases,scorecard|scorecard,cases)$',
        'be `none`, `cases`, `scorecard` or `cases,scorecard`',
        { description: 'The parts to include; both by default.', examples: ['none'] },
      ),
    ),
  }),
  responses: {
    200: {
      description: 'The job with its scorecard and its cases.',
      schema: component('EvalJobResponse', object({ eval_job: EvalJobDetail })),
    },
  },
  errors: ['eval_job_not_found'],
  handle: async ({ ctx, params, query }) => {
    const parts = (query.include ?? 'cases,scorecard').split(',');
    const include = { cases: parts.includes('cases'), scorecard: parts.includes('scorecard') };
    return { eval_job: showEvalJobDetail(await readEvalJob(ctx, { runId: params.id, include })) };
  },
});

const showScorecardPage = endpoint({
  method: 'GET',
  path: '/v1/eval-jobs/:id/scorecard',
  summary: 'Get the scorecard of a completed run as a web page or as Markdown',
  tag: 'redemptions',
  auth: 'agent',
  params: evalJobKey,
  query: object({
    format: Type.Optional(oneOf(['html', 'md'], { default: 'html' })),
    detail: Type.Optional(
      oneOf(['summary', 'full'], { default: 'summary', description: 'For Markdown: `full` has every case.' }),
    ),
  }),
  responses: {
    200: {
      description: 'A self-contained page, or Markdown with `format=md` or `Accept: text/markdown`.',
      contentType: 'text/html',
      otherContentTypes: ['text/markdown'],
    },
  },
  errors: ['eval_job_not_found', 'scorecard_not_found'],
  handle: async ({ ctx, params, query, request }) => {
    const { job, scorecard } = await readEvalJob(ctx, {
      runId: params.id,
      include: { scorecard: true, cases: false },
    });
    if (scorecard === null) {
      throw new DomainError(
        'scorecard_not_found',
        `This run is ${job.status}; only completed runs have a scorecard.`,
        {
          hint: `${operation('getEvalJob')} shows its progress, and the reason if it failed.`,
        },
      );
    }
    return pageOrMarkdown(request, {
      html: () => scorecardDocument(scorecard.model),
      markdown: () => scorecardMarkdown(scorecard.model, query.detail ?? 'summary'),
    });
  },
});

const followJob = endpoint({
  method: 'GET',
  path: '/v1/eval-jobs/:id/events',
  summary: 'Follow an eval job as it runs',
  description:
    'Server-Sent Events: `progress` for each finished case (from the first, or after `Last-Event-ID`), then `completed` or `failed` with the job, then the stream ends. An agent may have 20 open streams.',
  tag: 'redemptions',
  auth: 'agent',
  params: evalJobKey,
  responses: { 200: { description: 'A stream of events.', contentType: 'text/event-stream' } },
  errors: ['eval_job_not_found'],
  handle: async ({ ctx, deps, params, request }) => {
    await findOwnEvalJob(ctx, { runId: params.id });
    return streamProgress({
      ctx,
      signals: deps.signals,
      streams: deps.streams,
      runId: params.id,
      show: (run) => ({ eval_job: showEvalJob(run) }),
      request,
      ending: deps.ending,
    });
  },
});

const cancelJob = endpoint({
  method: 'POST',
  path: '/v1/eval-jobs/:id/cancel',
  summary: 'Cancel an eval job',
  description:
    'A run that has begun is completed and charged, its open cases score 0, and it counts if it is ranked. Otherwise it fails with the code `cancelled` and is refunded, which is no failed run.',
  tag: 'redemptions',
  auth: 'agent',
  params: evalJobKey,
  responses: {
    200: {
      description: 'The job, which has ended.',
      schema: component('EvalJobCancelled', object({ eval_job: EvalJob })),
    },
  },
  errors: ['eval_job_not_found', 'eval_job_ended'],
  idempotent: 'transaction',
  handle: async ({ ctx, params }) => ({
    eval_job: showEvalJob(await endRun(ctx, { runId: params.id, product: 'eval-run' })),
  }),
});

export const evalJobEndpoints = [listJobs, showJob, showScorecardPage, followJob, cancelJob];

export const evalJobTools = [
  tool({
    name: 'get_scorecard',
    title: 'Get a scorecard',
    description:
      'Get the state of a run and, once it has completed, its scorecard; `cancelled` if you cancelled it. Without an id: list your eval runs.',
    routes: [
      {
        endpoint: showJob,
        names: { id: 'run_id' },
        without: ['include'],
        orElse: {
          code: 'eval_job_not_found',
          endpoint: showRun,
          orElse: { code: 'agent_run_not_found', endpoint: showAnyRun },
        },
      },
      { endpoint: listJobs },
    ],
    shape: withoutPage,
    about: { run_id: '', limit: '', cursor: '' },
    summary: summaryOfRun,
  }),
  tool({
    name: 'cancel_run',
    title: 'Cancel a run',
    hints: { destructive: true, idempotent: true },
    description:
      'Cancel an open run: it becomes `cancelled`. If it has begun, it stays charged and what is open scores 0; otherwise it is refunded.',
    routes: [
      {
        endpoint: cancelJob,
        names: { id: 'run_id' },
        orElse: {
          code: 'eval_job_not_found',
          endpoint: cancelRun,
          orElse: { code: 'agent_run_not_found', endpoint: cancelAnyRun },
        },
      },
    ],
    about: { run_id: '' },
    summary: summaryOfRun,
  }),
];

function summaryOfRun(shaped: unknown): string {
  // The bodies of the endpoints above, or the list.
  interface Shaped {
    readonly status: string;
    readonly score: number | null;
  }
  const {
    eval_job,
    agent_run,
    run: other,
  } = shaped as {
    readonly eval_job?: Shaped;
    readonly agent_run?: Shaped;
    readonly run?: Shaped;
  };
  const run = eval_job ?? agent_run ?? other;
  if (run === undefined) return 'Your eval runs, newest first.';
  return `The run is ${run.status}${run.score === null ? '' : `, score ${run.score}`}.`;
}

/** Models get Markdown. The page and the cases would fill their context. */
function withoutPage(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('eval_job' in body)) return body;
  // The body of the endpoint above.
  const { eval_job: job } = body as { readonly eval_job: Static<typeof EvalJobDetail> };
  const { scorecard, cases: _cases, ...rest } = job;
  return { eval_job: rest, score_md: scorecard?.score_md ?? null };
}

export const evalJobResources = [
  {
    name: 'scorecard',
    description: 'The scorecard of one of your completed runs.',
    uri: '/v1/eval-jobs/{id}',
    mimeType: 'text/markdown',
    endpoint: showJob,
    text: scorecardText,
  },
];

function scorecardText(body: unknown): string {
  // The body of the endpoint above.
  const { eval_job: job } = body as { readonly eval_job: Static<typeof EvalJobDetail> };
  return job.scorecard?.score_md ?? `This run is ${job.status}. It has no scorecard yet.`;
}
