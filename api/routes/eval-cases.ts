/** The full prompts of past cases, and the tools with which models work on their cases. */
import { Elysia } from 'elysia';
import type { Static } from 'typebox';
import { showCasePrompt } from '#domain/runs/products/eval-run/show-prompt.ts';
import { knownTexts, sharedField, type SharedTexts, shareTexts } from '../mcp/share-texts.ts';
import { tool } from '../mcp/tool.ts';
import { object } from '../schemas/object.ts';
import type { AnswersAccepted, PulledCases } from '../schemas/pulled-cases.ts';
import { patterned } from '../schemas/text.ts';
import { uuid } from '../schemas/values.ts';
import { nextRunCases, submitRunAnswers } from './any-run.ts';
import { edge, input, replies } from '../plugins/edge.ts';
import { operationAt } from '../plugins/operations.ts';

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

const showPrompt = operationAt(evalCaseRoutes, 'GET /v1/runs/:id/cases/:case_id/prompt');

/** The size of a result that models get in full. Hosts cut longer ones. */
const toolTokensMax = 20_000;

/** Models get each prompt once. The index is a part of the `case_id`. */
function withPromptOnce(body: unknown, { known = [] }: { readonly known?: readonly string[] }): unknown {
  // The body of the endpoint above.
  const { cases: pulled, ...rest } = body as Static<typeof PulledCases>;
  const { items: cases, shared } = shareTexts(
    pulled.map(({ messages, again, index: _index, step, prompt, ...one }) => ({
      ...one,
      prompt,
      ...(step === 0 ? {} : { step }),
      ...(again ? { again } : {}),
      ...(messages.length > 1
        ? { messages: messages.at(-1)?.role === 'user' ? messages.slice(0, -1) : messages }
        : {}),
    })),
    ['system', 'tools'],
    known,
  );
  return { ...sharedField(shared), cases, ...rest };
}

/** What a model does with texts that it gets for the first time. */
function adviceOn(shared: SharedTexts): readonly string[] {
  const ids = Object.keys(shared);
  const hasTools = Object.values(shared).some((text) => 'tools' in text);
  return [
    ...(hasTools ? ['To call a tool, answer with `tool_calls: [{name, arguments}]` beside `text`.'] : []),
    ...(ids.length === 0 ? [] : [`Add ${JSON.stringify(ids)} to \`known\` from now on.`]),
  ];
}

export const evalCaseTools = [
  tool({
    name: 'get_cases',
    title: 'Fetch cases',
    hints: { readOnly: false, idempotent: true },
    description: 'Fetch cases of your run, and answer each `prompt`. Repeat with wait until ended is true.',
    routes: [
      {
        endpoint: nextRunCases,
        names: { id: 'run_id' },
        fixed: { max_tokens: toolTokensMax },
        without: ['lease_s'],
      },
    ],
    shaping: { known: knownTexts },
    returns: ['cases.case_id', 'cases.prompt', 'ended'],
    about: {
      run_id: '',
      limit: '',
      worker: 'If you fetch in parallel.',
      wait: 'Seconds.',
    },
    shape: withPromptOnce,
    note: (body) => {
      // What `withPromptOnce` returns.
      const { ended, shared = {} } = body as Static<typeof PulledCases> & { shared?: SharedTexts };
      if (ended) return 'The run has ended: get_report.';
      const said = adviceOn(shared);
      return said.length === 0 ? undefined : said.join(' ');
    },
  }),
  tool({
    name: 'answer',
    title: 'Submit answers',
    description: 'Submit your answers to cases. They are final: follow prompts to the letter.',
    routes: [{ endpoint: submitRunAnswers, names: { id: 'run_id' } }],
    returns: ['accepted', 'ended'],
    brief: ['answers'],
    about: { run_id: '', answers: 'Each `{case_id, text}`.' },
    shape: (body) => {
      // The body of the endpoint above.
      const { cases, ...rest } = body as Static<typeof AnswersAccepted>;
      const open = cases.flatMap(({ done, expires_at: _until, ...one }) => (done ? [] : [one]));
      return { ...rest, ...(open.length === 0 ? {} : { cases: open }) };
    },
    note: (body) => {
      // The body of the endpoint above.
      const { cases, ended } = body as Partial<Static<typeof AnswersAccepted>>;
      if (ended === true) return 'The run has ended: get_report.';
      return cases === undefined ? undefined : 'Answer the new `messages` of these cases, with their `step`.';
    },
  }),
  tool({
    name: 'get_case',
    title: 'Get the prompt of a case',
    description: 'Get the full prompt of a case of a completed run.',
    routes: [{ endpoint: showPrompt, names: { id: 'run_id' } }],
    about: { run_id: '', case_id: 'Such as length-4.' },
  }),
];
