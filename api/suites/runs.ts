/** What the owner of a suite sees of its runs. */
import { Elysia } from 'elysia';
import { type Static, Type } from 'typebox';
import { caseVerdicts } from '#evals/own-suite/trial-marks.ts';
import { roundRate } from '#evals/rates.ts';
import { showMatrix } from '#domain/suites/show-matrix.ts';
import { listSuiteRuns, type SuiteRun } from '#domain/suites/list-suite-runs.ts';
import { showSuiteRun } from '#domain/suites/show-suite-run.ts';
import { pageResponse } from '../response/page-response.ts';
import { component, nullable, object } from '../schemas/object.ts';
import { runStatus } from '../runs/values.ts';
import { suiteKey, suiteKeyOf, suiteName, suiteOwner } from './model.ts';
import { showCase, showResult, SuiteRunCase, SuiteRunFigures } from './run-model.ts';
import { line } from '../schemas/text.ts';
import { handle, instant, nextCursor, oneOf, pageMax, paging, uuid } from '../schemas/values.ts';
import { matrixMarkdown } from '../markdown/matrix-markdown.ts';
import { LabelMatrix, showLabelMatrix } from './label-matrix.ts';
import { edge, input, replies } from '../plugins/edge.ts';

const SuiteRunSummary = component(
  'SuiteRunSummary',
  object({
    run_id: uuid(),
    agent_handle: handle(),
    version: Type.String(),
    mode: oneOf(['push', 'pull']),
    status: runStatus(),
    score: nullable(Type.Number()),
    ranked: Type.Boolean(),
    cases_seen: Type.Integer({
      minimum: 0,
      description: 'The different cases that the agent fetched or its target was sent, answered or not.',
    }),
    share_replies: Type.Boolean({ description: 'Whether you may read its replies.' }),
    created_at: instant(),
    finished_at: nullable(instant()),
  }),
);

function showRunSummary({ run, handle: runner, casesSeen }: SuiteRun): Static<typeof SuiteRunSummary> {
  return {
    run_id: run.id,
    agent_handle: runner,
    version: run.suiteVersion,
    mode: run.mode,
    status: run.status,
    score: run.score === null ? null : roundRate(run.score),
    ranked: run.ranked,
    cases_seen: casesSeen,
    share_replies: run.shareReplies,
    created_at: run.createdAt.toISOString(),
    finished_at: run.finishedAt?.toISOString() ?? null,
  };
}

export const runsOfSuiteRoutes = new Elysia({ tags: ['suites'] })
  .use(edge)
  .get(
    '/v1/suites/:owner/:name/runs',
    async ({ ctx, params, query, request }) => {
      const { limit = pageMax, cursor = null } = query;
      const page = await listSuiteRuns(ctx, { ...suiteKeyOf(params), limit, cursor });
      return pageResponse(request, page, { runs: page.items.map(showRunSummary) });
    },
    {
      agent: true,
      params: input(suiteKey),
      query: input(object(paging())),
      response: replies({
        200: {
          description: 'A page of runs of all agents.',
          schema: component(
            'SuiteRunList',
            object({ runs: Type.Array(SuiteRunSummary), next_cursor: nextCursor() }),
          ),
        },
      }),
      errors: ['suite_not_found', 'content_hidden', 'not_author'],
      detail: { summary: 'List the runs of your suite, newest first' },
    },
  )
  .get(
    '/v1/suites/:owner/:name/runs/:run_id',
    async ({ ctx, params, query, request }) => {
      const { limit = pageMax, cursor = null, ...filter } = query;
      const key = { ...suiteKeyOf(params), runId: params.run_id };
      const { result, cases, ...shared } = await showSuiteRun(ctx, { ...key, limit, cursor, filter });
      return pageResponse(request, cases, {
        run: showRunSummary(shared),
        result: showResult(result),
        cases: cases.items.map((listed) => {
          const { verdict: _, marks: __, ...one } = listed;
          return showCase(one);
        }),
      });
    },
    {
      agent: true,
      params: input(
        object({ owner: suiteOwner(), name: suiteName(), run_id: uuid('The id of a run of the suite.') }),
      ),
      query: input(
        object({
          ...paging(),
          verdict: Type.Optional(oneOf(caseVerdicts, { description: 'Only cases with this verdict.' })),
          tag: Type.Optional(line({ max: 40, description: 'Only cases with this tag.' })),
        }),
      ),
      response: replies({
        200: {
          description: 'The run with a page of its cases.',
          schema: component(
            'SharedSuiteRun',
            object({
              run: SuiteRunSummary,
              result: SuiteRunFigures,
              cases: Type.Array(SuiteRunCase),
              next_cursor: nextCursor(),
            }),
          ),
        },
      }),
      errors: [
        'suite_not_found',
        'content_hidden',
        'not_author',
        'run_not_found',
        'replies_not_shared',
        'run_not_completed',
        'cases_pruned',
      ],
      detail: {
        summary: 'Read the replies of a run of your suite, if the runner shares them',
        description:
          'Cases that did not pass come first. A page has at most 100 cases, each with all of its trials.',
      },
    },
  )
  .get(
    '/v1/suites/:owner/:name/matrix',
    async ({ ctx, params, query }) =>
      showLabelMatrix(await showMatrix(ctx, { ...suiteKeyOf(params), ...query })),
    {
      agent: true,
      params: input(suiteKey),
      query: input(
        object({
          labels: line({
            max: 600,
            description: '2 to 8 labels, with commas in between.',
            example: 'main,new-prompt',
          }),
        }),
      ),
      response: replies({
        200: { description: 'The runs and what came of each case.', schema: LabelMatrix },
      }),
      markdown: matrixMarkdown,
      errors: ['suite_not_found', 'content_hidden', 'run_not_found'],
      detail: {
        summary: 'Compare your runs of a suite under several labels, case by case',
        description:
          'Of each label, your newest completed run. The first label is the one with which the others are compared. Cases that regressed come first.',
      },
    },
  );
