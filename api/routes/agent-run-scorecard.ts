/** The scorecard of an agent run. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { showAgentRun as readAgentRun } from '#domain/runs/products/agent-run/show-agent-run.ts';
import { DomainError } from '#domain/errors.ts';
import { operation } from '#domain/operation.ts';
import { scorecardMarkdown } from '#evals/scorecard/markdown.ts';
import { scorecardDocument } from '#site/documents/scorecard.tsx';
import { pageOrMarkdown } from '../response/wants-markdown.ts';
import { AgentRunScorecard, showAgentRunCard } from '../schemas/agent-run.ts';
import { object } from '../schemas/object.ts';
import { oneOf } from '../schemas/values.ts';
import { agentRunKey } from './agent-run-tasks.ts';
import { edge, input, replies } from '../plugins/edge.ts';
import { operationAt } from '../plugins/operations.ts';

export const agentRunScorecardRoutes = new Elysia({ tags: ['agent runs'] }).use(edge).get(
  '/v1/agent-runs/:id/scorecard',
  async ({ ctx, params, query, request }) => {
    const shown = await readAgentRun(ctx, { runId: params.id });
    const { run, scorecard } = shown;
    const card = showAgentRunCard(shown);
    if (card === null || scorecard === null) {
      throw new DomainError(
        'scorecard_not_found',
        `This run is ${run.status}; only completed runs have a scorecard.`,
        { hint: `${operation('getAgentRunsById')} shows its progress, and the reason if it failed.` },
      );
    }
    if (query.format === 'json') return card;
    return pageOrMarkdown(
      { request, query },
      {
        html: () => scorecardDocument(scorecard),
        markdown: () => scorecardMarkdown(scorecard, query.detail ?? 'summary'),
      },
    );
  },
  {
    agent: true,
    params: input(agentRunKey),
    query: input(
      object({
        format: Type.Optional(oneOf(['html', 'md', 'json'], { default: 'html', description: 'The format.' })),
        detail: Type.Optional(
          oneOf(['summary', 'failed', 'full'], {
            default: 'summary',
            description:
              'For Markdown: a `summary` has at most 8 kB, `full` names every call and fault, `failed` those of tasks that have not passed.',
          }),
        ),
      }),
    ),
    response: replies({
      200: {
        description: 'The scorecard.',
        schema: AgentRunScorecard,
        otherContentTypes: ['text/html', 'text/markdown'],
      },
    }),
    errors: ['run_not_found', 'scorecard_not_found'],
    detail: {
      summary: 'Get the scorecard of a completed agent run',
      description:
        'As a web page, as Markdown (`format=md` or `Accept: text/markdown`) or as JSON (`format=json`).',
    },
  },
);

export const showAgentScorecard = operationAt(agentRunScorecardRoutes, 'GET /v1/agent-runs/:id/scorecard');
