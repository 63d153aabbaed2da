/** Comparisons of two runs of the same product. */
import { compareAgentRuns } from '#domain/agent-runs/compare-agent-runs.ts';
import { compareEvalJobs } from '#domain/eval-jobs/compare-eval-jobs.ts';
import { endpoint } from '../endpoint.ts';
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
    'What changed from the run `id` (`before`) to the run `other_id` (`after`), in percentages, because each run has different cases. Both must have the same suite version and pack.',
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
    'pack_mismatch',
  ],
  handle: async ({ ctx, params, query }) => ({
    comparison: showComparison(
      await compareEvalJobs(ctx, {
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
  errors: ['agent_run_not_found', 'agent_run_not_completed', 'product_mismatch', 'suite_version_mismatch'],
  handle: async ({ ctx, params, query }) => ({
    comparison: showComparison(
      await compareAgentRuns(ctx, {
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
    description:
      'Compare two of your completed runs, by `eval_job_id` or `agent_run_id`: what improved, what got worse, and whether it may be chance.',
    routes: [
      {
        endpoint: compareAgents,
        names: { id: 'agent_run_id', other_id: 'other_agent_run_id' },
        chosenBy: ['agent_run_id'],
      },
      { endpoint: compareJobs, names: { id: 'eval_job_id', other_id: 'other_eval_job_id' } },
    ],
    about: {
      eval_job_id: 'The earlier run.',
      other_eval_job_id: 'The later run.',
      agent_run_id: '',
      other_agent_run_id: '',
      pool: 'Adds earlier runs.',
    },
  }),
];
