/** Comparisons of two runs of the same product. */
import { compareRuns } from '#domain/runs/compare-runs.ts';
import type { Static } from 'typebox';
import type { SuiteRunComparison } from '../schemas/suite-run.ts';
import { endpoint } from '../endpoint.ts';
import { compareAnyRuns } from './any-run.ts';
import { tool } from '../mcp/tool.ts';
import { comparisonMarkdown } from '../markdown/comparison-markdown.ts';
import {
  comparedRuns,
  comparisonQuery,
  EvalComparisonResponse,
  showComparison,
} from '../schemas/eval-comparison.ts';

const compareJobs = endpoint({
  method: 'GET',
  path: '/v1/eval-jobs/:id/compare/:other_id',
  summary: 'Compare two of your completed runs',
  description:
    'What changed from the run `id` (`before`) to the run `other_id` (`after`), in percentages, because each run has different cases. Both must have the same suite version.',
  tag: 'redemptions',
  auth: 'agent',
  params: comparedRuns(),
  query: comparisonQuery(),
  markdown: comparisonMarkdown,
  responses: { 200: { description: 'What improved and what got worse.', schema: EvalComparisonResponse } },
  errors: [
    'eval_job_not_found',
    'eval_job_not_completed',
    'product_mismatch',
    'suite_version_mismatch',
    'code_tool_mismatch',
  ],
  handle: async ({ ctx, params, query }) => ({
    comparison: showComparison(
      await compareRuns(ctx, {
        product: 'eval-run',
        runId: params.id,
        otherRunId: params.other_id,
        pool: query.pool ?? false,
      }),
    ),
  }),
});

const compareAgents = endpoint({
  method: 'GET',
  path: '/v1/agent-runs/:id/compare/:other_id',
  summary: 'Compare two of your completed agent runs',
  tag: 'agent runs',
  auth: 'agent',
  params: comparedRuns(),
  query: comparisonQuery(),
  markdown: comparisonMarkdown,
  responses: { 200: { description: 'What improved and what got worse.', schema: EvalComparisonResponse } },
  errors: [
    'agent_run_not_found',
    'agent_run_not_completed',
    'product_mismatch',
    'suite_version_mismatch',
    'code_tool_mismatch',
  ],
  handle: async ({ ctx, params, query }) => ({
    comparison: showComparison(
      await compareRuns(ctx, {
        product: 'agent-run',
        runId: params.id,
        otherRunId: params.other_id,
        pool: query.pool ?? false,
      }),
    ),
  }),
});

export const runComparisonEndpoints = [compareJobs, compareAgents];

export const runComparisonTools = [
  tool({
    name: 'compare_runs',
    title: 'Compare runs',
    description: 'Compare two completed runs of a product: what changed, and whether it may be chance.',
    routes: [
      {
        endpoint: compareJobs,
        names: { id: 'run_id', other_id: 'other_run_id' },
        orElse: {
          code: 'eval_job_not_found',
          endpoint: compareAgents,
          orElse: { code: 'agent_run_not_found', endpoint: compareAnyRuns },
        },
      },
    ],
    about: { run_id: 'The earlier run.', other_run_id: 'The later run.', pool: 'Adds earlier runs.' },
    note: nextAfter,
  }),
];

const scoreMax = 100;

type SuiteComparison = Static<typeof SuiteRunComparison>;

function nextAfter(body: unknown): string | undefined {
  // The body of the endpoints above.
  const { comparison } = body as Static<typeof EvalComparisonResponse> | { comparison: SuiteComparison };
  if ('verdict' in comparison) return undefined;
  const { before, after, paired } = comparison;
  const score = paired ?? comparison.score;
  const isTop = before.score === scoreMax && after.score === scoreMax;
  if (isTop) return 'Both runs are at the top of the scale, so only their cost can tell them apart.';
  return score.clear
    ? 'The difference is clear. Next: try the cases of the weakest category with practice.'
    : 'The difference may be chance. Next: compare with pool: true, or try the weakest category with practice and take another run.';
}
