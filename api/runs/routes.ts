/** What a run of any product has: its state, its cases in pull mode, its end, and its comparison with another run. */
import { Elysia } from 'elysia';
import { type Static, Type } from 'typebox';
import type { BearerCtx } from '#domain/context.ts';
import { cancelRun as endRun } from '#domain/runs/cancel-run.ts';
import { compareRuns } from '#domain/runs/compare-runs.ts';
import { listRuns, type OwnRunKey, runTopic } from '#domain/runs/find-run.ts';
import { productNames } from '#domain/runs/products.ts';
import { regradeRun } from '#domain/runs/regrade-run.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { answerCases, gradeAnswers } from '#domain/runs/pull/answer-cases.ts';
import { handOutCases, mainWorker } from '#domain/runs/pull/hand-out-cases.ts';
import type { ApiDeps } from '../deps.ts';
import type { Call } from '../endpoint.ts';
import { pageResponse } from '../response/page-response.ts';
import { Run, showRun, runLabel, runStatus } from './model.ts';
import { listed, named, object, oneOf, pageMax, paging, uuid } from '../schemas.ts';
import {
  answerObject,
  AnswersAccepted,
  answersBodyMaxBytes,
  casesAtOnceMax,
  charactersPerToken,
  fetchQuery,
  PulledCases,
  readAnswers,
  showAccepted,
  showHandedOut,
} from './pulled-cases.ts';
import { comparisonMarkdown } from '../markdown/comparison-markdown.ts';
import { suiteRef } from '../suites/model.ts';
import { RunComparison, RunDetail, showComparison, showRunDetail } from '../suites/run-model.ts';
import { awaitChange } from '../streams/signal-waiter.ts';
import { edge, fields, input, ok, optionalInput } from '../plugins/edge.ts';

const runKey = object({ id: uuid('The id of one of your runs.') });
/** The id of a case in a suite, and the number of a trial. */
const caseIdLengthMax = 80;

interface FetchInput {
  readonly ctx: BearerCtx;
  readonly deps: Pick<ApiDeps, 'signals' | 'ending'>;
  readonly query: Static<ReturnType<typeof fetchQuery>>;
  readonly signal: () => AbortSignal;
  readonly key: OwnRunKey;
}

async function fetchCases({ ctx, deps, query, signal, key }: FetchInput) {
  const { limit = 1, worker = mainWorker, wait = 0, max_tokens: maxTokens = null, lease_s } = query;
  const asked = {
    ...key,
    limit,
    worker,
    ...(maxTokens === null ? {} : { charactersMax: maxTokens * charactersPerToken }),
    ...(lease_s === undefined ? {} : { renewableMs: lease_s * 1_000 }),
  };
  const handedOut = await awaitChange(ctx, {
    topic: runTopic(key.runId),
    signals: deps.signals,
    waitMs: wait * 1_000,
    over: AbortSignal.any([signal(), deps.ending]),
    read: () => handOutCases(ctx, asked),
    isEnough: ({ cases, ended }) => cases.length > 0 || ended,
  });
  return showHandedOut(handedOut, { limit, maxTokens });
}

const AnswersRequest = named('AnswersRequest', {
  answers: Type.Array(answerObject(caseIdLengthMax), { minItems: 1, maxItems: casesAtOnceMax }),
});

/** What `grade` returns. */
type Graded = Awaited<ReturnType<typeof grade>>;

function grade({
  ctx,
  deps,
  params,
  body,
}: Call<'agent', typeof runKey, undefined, Static<typeof AnswersRequest>>) {
  return gradeAnswers(ctx, { runId: params.id, answers: readAnswers(body.answers), graders: deps.graders });
}

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
  .get(
    '/v1/runs/:id/cases/next',
    ({ ctx, deps, params, query, signal }) =>
      fetchCases({ ctx, deps, query, signal, key: { runId: params.id } }),
    {
      scope: 'act',
      agent: true,
      params: input(runKey),
      query: input(fetchQuery()),
      response: ok('The cases to answer now.', PulledCases),
      errors: ['run_not_found', 'not_pull_mode'],
      detail: {
        summary: 'Fetch cases of a run in pull mode',
        description:
          'Leases open cases for 10 minutes. Cases that you have not answered are returned again, with their first deadline. The first fetch starts the run, which ends after 60 minutes (15 seconds for each of more than 240 replies, at most 6 hours; 40 minutes for each task of an `agent-run`); cases without an answer score 0. A run without any reply fails and is refunded, unless it is ranked. Some cases wait for the results of others, and the tasks of an `agent-run` come one after the other, so there may be no new case for a while. A `case_id` ends with `/` and the number of the trial if there are several.',
      },
    },
  )
  .post(
    '/v1/runs/:id/answers',
    async ({ ctx, prepared }) => showAccepted(await answerCases(ctx, prepared as Graded)),
    {
      agent: true,
      params: input(runKey),
      body: input(AnswersRequest),
      bodyMaxBytes: answersBodyMaxBytes,
      exactNumbers: true,
      response: ok('The answers have been graded and stored.', AnswersAccepted),
      errors: [
        'run_not_found',
        'not_pull_mode',
        'run_ended',
        'case_not_found',
        'case_answered',
        'wrong_step',
        'busy',
      ],
      once: 'transaction',
      prepare: grade,
      detail: {
        summary: 'Submit answers in pull mode',
        description:
          'Takes the next step of each case: a text, tool calls, or both. The response has, for each case, `done`, or the new messages and the next `step`. Either all answers of a request are accepted, or none. A step is final; a repeated one gets the same response. If you have no reply, send `error` instead of `text`: the case then counts as failed and is not graded. All texts together may have at most 256 KiB. `usage` has `input_tokens` and `output_tokens`, or `prompt_tokens` and `completion_tokens`, and optionally `cost_usd`; its other fields are ignored.',
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
          'A new run of a suite, free and never ranked: the replies of an ended run, graded by another version. Cases of the version that are new, or ask something else, are not asked, and the run names them. A reply of which only the beginning is stored gets no verdict.',
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
