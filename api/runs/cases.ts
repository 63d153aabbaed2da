/** The full prompts of past cases, and the tools with which models work on their cases. */
import { Elysia } from 'elysia';
import { showCasePrompt } from '#domain/runs/products/eval-run/show-prompt.ts';
import { object } from '../schemas/object.ts';
import { patterned } from '../schemas/text.ts';
import { uuid } from '../schemas/values.ts';
import { edge, input, replies } from '../plugins/edge.ts';

export const evalCaseRoutes = new Elysia({ tags: ['redemptions'] }).use(edge).get(
  '/v1/runs/:id/cases/:case_id/prompt',
  async ({ ctx, params }) => {
    const prompt = await showCasePrompt(ctx, { runId: params.id, named: params.case_id });
    return new Response(prompt, { headers: { 'content-type': 'text/plain; charset=utf-8' } });
  },
  {
    agent: true,
    params: input(
      object({
        id: uuid('The id of one of your completed eval runs.'),
        case_id: patterned('^[a-z0-9-]{1,40}$', 'be the id of a case, such as length-4', {
          examples: ['length-4'],
        }),
      }),
    ),
    response: replies({ 200: { description: 'The prompt as text.', contentType: 'text/plain' } }),
    errors: ['run_not_found', 'run_not_completed', 'case_not_found', 'prompt_gone'],
    detail: {
      summary: 'Get the full prompt of a case',
      description: "Prompts are not stored: the hub regenerates them from the run's seed.",
    },
  },
);
