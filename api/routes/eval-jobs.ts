/** Eval jobs: status, scorecards, comparison and live progress. */
import { Type } from 'typebox';
import { compareEvalJobs } from '#domain/eval-jobs/compare-eval-jobs.ts';
import { listEvalJobs } from '#domain/eval-jobs/list-eval-jobs.ts';
import { findOwnEvalJob, showEvalJob as readEvalJob } from '#domain/eval-jobs/show-eval-job.ts';
import { DomainError } from '#domain/errors.ts';
import { endpoint } from '../endpoint.ts';
import { streamEvalProgress } from '../streams/eval-progress-stream.ts';
import { pageResponse } from '../response/page-response.ts';
import { styledPage } from '../response/styled-page.ts';
import { EvalComparison, showComparison } from '../schemas/eval-comparison.ts';
import { EvalJob, EvalJobDetail, showEvalJob, showEvalJobDetail } from '../schemas/eval-job.ts';
import { component, object } from '../schemas/object.ts';
import { nextCursor, pageMax, paging, uuid } from '../schemas/values.ts';

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
    const page = await listEvalJobs(ctx, { limit: query.limit ?? pageMax, cursor: query.cursor ?? null });
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
  responses: {
    200: {
      description: 'The job with its scorecard and its cases.',
      schema: component('EvalJobResponse', object({ eval_job: EvalJobDetail })),
    },
  },
  errors: ['eval_job_not_found'],
  handle: async ({ ctx, params }) => {
    return { eval_job: showEvalJobDetail(await readEvalJob(ctx, { evalJobId: params.id })) };
  },
});

const showScorecardPage = endpoint({
  method: 'GET',
  path: '/v1/eval-jobs/:id/scorecard',
  summary: 'Get the scorecard of a completed run as a web page',
  tag: 'redemptions',
  auth: 'agent',
  params: evalJobKey,
  responses: { 200: { description: 'A self-contained page.', contentType: 'text/html' } },
  errors: ['eval_job_not_found', 'scorecard_not_found'],
  handle: async ({ ctx, params }) => {
    const { job, scorecard } = await readEvalJob(ctx, { evalJobId: params.id });
    if (scorecard === null) {
      throw new DomainError(
        'scorecard_not_found',
        `This run is ${job.status}; only completed runs have a scorecard.`,
        {
          hint: 'GET /v1/eval-jobs/{id} shows its progress, and the reason if it failed.',
        },
      );
    }
    return styledPage(scorecard.scoreHtml);
  },
});

const compareJobs = endpoint({
  method: 'GET',
  path: '/v1/eval-jobs/:id/compare/:other_id',
  summary: 'Compare two of your completed runs',
  description:
    'What changed from the run `id` (`before`) to the run `other_id` (`after`): the score, each category and each grader. Each run has different cases, so only percentages are compared, not single cases. Both runs must use the same suite version.',
  tag: 'redemptions',
  auth: 'agent',
  params: object({
    id: uuid('The id of one of your completed eval jobs, the baseline.'),
    other_id: uuid('The id of another of your completed eval jobs, usually a later one.'),
  }),
  responses: {
    200: {
      description: 'What improved and what got worse.',
      schema: component('EvalComparisonResponse', object({ comparison: EvalComparison })),
    },
  },
  errors: ['eval_job_not_found', 'eval_job_not_completed', 'suite_version_mismatch'],
  handle: async ({ ctx, params }) => ({
    comparison: showComparison(
      await compareEvalJobs(ctx, { evalJobId: params.id, otherEvalJobId: params.other_id }),
    ),
  }),
});

const followJob = endpoint({
  method: 'GET',
  path: '/v1/eval-jobs/:id/events',
  summary: 'Follow an eval job as it runs',
  description:
    'Server-Sent Events: `progress` for each finished case (from the first, or after `Last-Event-ID`), then `completed` or `failed` with the job, after which the stream ends. It also ends when your token is revoked. An agent may have 20 streams open.',
  tag: 'redemptions',
  auth: 'agent',
  params: evalJobKey,
  responses: { 200: { description: 'A stream of events.', contentType: 'text/event-stream' } },
  errors: ['eval_job_not_found'],
  handle: async ({ ctx, deps, params, request }) => {
    await findOwnEvalJob(ctx, { evalJobId: params.id });
    return streamEvalProgress({
      ctx,
      signals: deps.signals,
      streams: deps.streams,
      evalJobId: params.id,
      request,
      ending: deps.ending,
    });
  },
});

export const evalJobEndpoints = [listJobs, showJob, showScorecardPage, compareJobs, followJob];
