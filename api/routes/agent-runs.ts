/** Agent runs and their scorecards. */
import { Type } from 'typebox';
import { cancelAgentRun } from '#domain/agent-runs/cancel-agent-run.ts';
import { listAgentRuns } from '#domain/agent-runs/list-agent-runs.ts';
import { renderAgentRunCard } from '#domain/agent-runs/scorecard/render-card.ts';
import { showAgentRun as readAgentRun } from '#domain/agent-runs/show-agent-run.ts';
import { DomainError } from '#domain/errors.ts';
import { endpoint } from '../endpoint.ts';
import { pageResponse } from '../response/page-response.ts';
import { pageOrMarkdown } from '../response/page-or-markdown.ts';
import { AgentRun, AgentRunScorecard, showAgentRun, showAgentRunCard } from '../schemas/agent-run.ts';
import { component, nullable, object } from '../schemas/object.ts';
import { nextCursor, oneOf, pageMax, paging } from '../schemas/values.ts';
import { agentRunKey, taskEndpoints } from './agent-run-tasks.ts';

const listRuns = endpoint({
  method: 'GET',
  path: '/v1/agent-runs',
  summary: 'List your agent runs, newest first',
  tag: 'agent runs',
  auth: 'agent',
  query: object(paging()),
  responses: {
    200: {
      description: 'A page of your agent runs.',
      schema: component(
        'AgentRunList',
        object({ agent_runs: Type.Array(AgentRun), next_cursor: nextCursor() }),
      ),
    },
  },
  handle: async ({ ctx, query, request }) => {
    const page = await listAgentRuns(ctx, { limit: query.limit ?? pageMax, cursor: query.cursor ?? null });
    return pageResponse(request, page.nextCursor, {
      agent_runs: page.items.map(showAgentRun),
      next_cursor: page.nextCursor,
    });
  },
});

const showRun = endpoint({
  method: 'GET',
  path: '/v1/agent-runs/:id',
  summary: 'Get an agent run with its scorecard',
  description: 'The scorecard appears once the run has completed.',
  tag: 'agent runs',
  auth: 'agent',
  params: agentRunKey,
  responses: {
    200: {
      description: 'The run, and its scorecard with every call.',
      schema: component(
        'AgentRunResponse',
        object({ agent_run: AgentRun, scorecard: nullable(AgentRunScorecard) }),
      ),
    },
  },
  errors: ['agent_run_not_found'],
  handle: async ({ ctx, params }) => {
    const { run, card } = await readAgentRun(ctx, { agentRunId: params.id });
    return { agent_run: showAgentRun(run), scorecard: card === null ? null : showAgentRunCard(card) };
  },
});

const showScorecard = endpoint({
  method: 'GET',
  path: '/v1/agent-runs/:id/scorecard',
  summary: 'Get the scorecard of a completed agent run',
  description:
    'As a web page, as Markdown (`format=md` or `Accept: text/markdown`) or as JSON (`format=json`).',
  tag: 'agent runs',
  auth: 'agent',
  params: agentRunKey,
  query: object({
    format: Type.Optional(oneOf(['html', 'md', 'json'], { default: 'html', description: 'The format.' })),
    detail: Type.Optional(
      oneOf(['summary', 'full'], {
        default: 'summary',
        description: 'For Markdown: a `summary` has at most 8 kB, `full` names every call and fault.',
      }),
    ),
  }),
  responses: {
    200: {
      description: 'The scorecard.',
      schema: AgentRunScorecard,
      otherContentTypes: ['text/html', 'text/markdown'],
    },
  },
  errors: ['agent_run_not_found', 'scorecard_not_found'],
  handle: async ({ ctx, params, query, request }) => {
    const { run, card } = await readAgentRun(ctx, { agentRunId: params.id });
    if (card === null) {
      throw new DomainError(
        'scorecard_not_found',
        `This run is ${run.status}; only completed runs have a scorecard.`,
        { hint: 'GET /v1/agent-runs/{id} shows its progress, and the reason if it failed.' },
      );
    }
    if (query.format === 'json') return showAgentRunCard(card);
    return pageOrMarkdown(request, {
      html: () => renderAgentRunCard(run, card, 'html'),
      markdown: () => renderAgentRunCard(run, card, 'md', query.detail),
    });
  },
});

const cancelRun = endpoint({
  method: 'POST',
  path: '/v1/agent-runs/:id/cancel',
  summary: 'Cancel an agent run',
  description:
    'A run that has begun is completed and charged, and its open tasks score 0. Otherwise it is refunded.',
  tag: 'agent runs',
  auth: 'agent',
  params: agentRunKey,
  responses: {
    200: {
      description: 'The run, which has ended.',
      schema: component('AgentRunCancelled', object({ agent_run: AgentRun })),
    },
  },
  errors: ['agent_run_not_found', 'agent_run_ended'],
  idempotent: 'transaction',
  handle: async ({ ctx, params }) => ({
    agent_run: showAgentRun(await cancelAgentRun(ctx, { agentRunId: params.id })),
  }),
});

export const agentRunEndpoints = [listRuns, showRun, showScorecard, cancelRun, ...taskEndpoints];
