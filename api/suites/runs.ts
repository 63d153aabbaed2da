/** What the owner of a suite sees of its runs. */
import { SuiteRunCase, SuiteRunFigures } from '#evals/own-suite/shown-run.ts';
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { caseVerdicts } from '#evals/own-suite/trial-marks.ts';
import { roundRate } from '#evals/rates.ts';
import { showMatrix } from '#domain/suites/show-matrix.ts';
import { listSuiteRuns, type SuiteRun } from '#domain/suites/list-suite-runs.ts';
import type { ListedCase } from '#domain/runs/cases/list-cases.ts';
import { showSuiteRun } from '#domain/suites/show-suite-run.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import {
  handle,
  instant,
  line,
  listed,
  named,
  nextCursor,
  nullable,
  oneOf,
  pageMax,
  paging,
  uuid,
} from '../schemas.ts';
import { runStatus } from '../runs/model.ts';
import { suiteKey, suiteKeyOf } from './model.ts';
import { LabelMatrix, showLabelMatrix, showResult } from './run-model.ts';
import { toWire } from '../wire.ts';
import { matrixMarkdown } from '../markdown/comparison-markdown.ts';
import { edge, fields, input, ok } from '../plugins/edge.ts';

const SuiteRunSummary = named('SuiteRunSummary', {
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
});

const showFields = toWire(SuiteRunSummary);

function showRunSummary({ run, handle: agentHandle, casesSeen }: SuiteRun) {
  const score = run.score === null ? null : roundRate(run.score);
  return showFields({ ...run, runId: run.id, agentHandle, version: run.suiteVersion, score, casesSeen });
}

function withoutMarks({ verdict: _verdict, marks: _marks, ...shown }: ListedCase) {
  return shown;
}

export const runsOfSuiteRoutes = new Elysia({ tags: ['suites'] })
  .use(edge)
  .get(
    '/v1/suites/:owner/:name/runs',
    async ({ ctx, params, query, request }) => {
      const page = await listSuiteRuns(ctx, { ...suiteKeyOf(params), ...pageAsked(query) });
      return pageResponse(request, page, { runs: page.items.map(showRunSummary) });
    },
    {
      agent: true,
      params: input(suiteKey),
      query: fields(paging()),
      response: ok('A page of runs of all agents.', listed('SuiteRunList', { runs: SuiteRunSummary })),
      errors: ['not_found', 'content_hidden', 'not_author'],
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
        cases: cases.items.map(withoutMarks),
      });
    },
    {
      agent: true,
      params: fields({ ...suiteKey.properties, run_id: uuid('The id of a run of the suite.') }),
      query: fields({
        ...paging(),
        verdict: Type.Optional(oneOf(caseVerdicts, { description: 'Only cases with this verdict.' })),
        tag: Type.Optional(line({ max: 40, description: 'Only cases with this tag.' })),
      }),
      response: ok(
        'The run with a page of its cases.',
        named('SharedSuiteRun', {
          run: SuiteRunSummary,
          result: SuiteRunFigures,
          cases: Type.Array(SuiteRunCase),
          next_cursor: nextCursor(),
        }),
      ),
      errors: [
        'not_found',
        'content_hidden',
        'not_author',
        'run_not_found',
        'not_allowed',
        'run_not_completed',
        'gone',
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
      query: fields({
        labels: line({
          max: 600,
          description: '2 to 8 labels, with commas in between.',
          example: 'main,new-prompt',
        }),
      }),
      response: ok('The runs, and the outcome of each case.', LabelMatrix),
      markdown: matrixMarkdown,
      errors: ['not_found', 'content_hidden', 'run_not_found'],
      detail: {
        summary: 'Compare your runs of a suite under several labels, case by case',
        description:
          'Of each label, your newest completed run. The first label is the one with which the others are compared. Cases that regressed come first.',
      },
    },
  );
