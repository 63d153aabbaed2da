/** Agent runs and their scorecards. */
import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import { listRuns as readRuns } from '#domain/runs/find-run.ts';
import { showAgentRun as readAgentRun } from '#domain/agent-runs/show-agent-run.ts';
import { DomainError } from '#domain/errors.ts';
import { scorecardMarkdown } from '#evals/scorecard/markdown.ts';
import { scorecardDocument } from '#site/documents/scorecard.tsx';
import { endpoint } from '../endpoint.ts';
import { tool } from '../mcp/tool.ts';
import { pageResponse } from '../response/page-response.ts';
import { pageOrMarkdown } from '../response/wants-markdown.ts';
import { AgentRun, AgentRunScorecard, showAgentRun, showAgentRunCard } from '../schemas/agent-run.ts';
import { component, object } from '../schemas/object.ts';
import { nextCursor, oneOf, pageMax, paging } from '../schemas/values.ts';
import { agentRunKey, cancelRun, officeEndpoints, showRun, taskEndpoints } from './agent-run-tasks.ts';
import { operation } from '#domain/operation.ts';

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
    const page = await readRuns(ctx, {
      product: 'agent-run',
      limit: query.limit ?? pageMax,
      cursor: query.cursor ?? null,
    });
    return pageResponse(request, page.nextCursor, {
      agent_runs: page.items.map(showAgentRun),
      next_cursor: page.nextCursor,
    });
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
    const { run, card, scorecard } = await readAgentRun(ctx, { runId: params.id });
    if (card === null || scorecard === null) {
      throw new DomainError(
        'scorecard_not_found',
        `This run is ${run.status}; only completed runs have a scorecard.`,
        { hint: `${operation('getAgentRunsById')} shows its progress, and the reason if it failed.` },
      );
    }
    if (query.format === 'json') return showAgentRunCard(card);
    return pageOrMarkdown(request, {
      html: () => scorecardDocument(scorecard),
      markdown: () => scorecardMarkdown(scorecard, query.detail ?? 'summary'),
    });
  },
});

export const agentRunEndpoints = [listRuns, showRun, showScorecard, cancelRun, ...taskEndpoints];

export const agentRunTools = [
  tool({
    name: 'get_task',
    title: 'Get the open task',
    hints: { readOnly: false, idempotent: true },
    description:
      'Get the open task of your agent-run: its prompt, the policy, and the office tools for call_office_tool. Repeat it after `finish`, until ended is true.',
    routes: [{ endpoint: officeEndpoints.nextTask, names: { id: 'run_id' }, without: ['wait'] }],
    about: { run_id: '' },
  }),
  tool({
    name: 'call_office_tool',
    title: 'Call an office tool',
    description: 'Call a tool of the open task, such as `search_mail`; `finish` ends the task.',
    routes: [
      {
        endpoint: officeEndpoints.callInOpenTask,
        names: { id: 'run_id' },
        made: { call_id: () => randomUUID() },
      },
    ],
    about: { run_id: '', tool: '', args: '', call_id: '' },
  }),
];
