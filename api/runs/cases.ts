/** The full prompts of past cases, and the tools with which models work on their cases. */
import { Elysia } from 'elysia';
import type { Static } from 'typebox';
import { showCasePrompt } from '#domain/runs/products/eval-run/show-prompt.ts';
import { knownTexts, sharedField, type SharedTexts, shareTexts } from '../mcp/share-texts.ts';
import type { ToolDeclaration } from '../mcp/tool.ts';
import { object } from '../schemas/object.ts';
import type { AnswersAccepted, PulledCases } from './pulled-cases.ts';
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

/** The size of a result that models get in full. Hosts cut longer ones. */
const toolTokensMax = 20_000;

/** Models get each prompt once. The index is a part of the `case_id`. */
function withPromptOnce(
  { cases: pulled, ...rest }: Static<typeof PulledCases>,
  known: readonly string[] = [],
) {
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
  const note = rest.ended ? 'The run has ended: get_report.' : adviceOn(shared);
  return { ...sharedField(shared), cases, ...rest, ...(note === '' ? {} : { note }) };
}

/** What a model does with texts that it gets for the first time. */
function adviceOn(shared: SharedTexts): string {
  const ids = Object.keys(shared);
  const hasTools = Object.values(shared).some((text) => 'tools' in text);
  return [
    ...(hasTools ? ['To call a tool, answer with `tool_calls: [{name, arguments}]` beside `text`.'] : []),
    ...(ids.length === 0 ? [] : [`Add ${JSON.stringify(ids)} to \`known\` from now on.`]),
  ].join(' ');
}

/** What is left to answer. */
function withOpenCases({ cases, ...rest }: Static<typeof AnswersAccepted>) {
  const open = cases.flatMap(({ done, expires_at: _until, ...one }) => (done ? [] : [one]));
  if (rest.ended)
    return { ...rest, ...(open.length === 0 ? {} : { cases: open }), note: 'The run has ended: get_report.' };
  if (open.length === 0) return rest;
  return { ...rest, cases: open, note: 'Answer the new `messages` of these cases, with their `step`.' };
}

export const evalCaseTools: readonly ToolDeclaration[] = [
  {
    name: 'get_cases',
    title: 'Fetch cases',
    annotations: { readOnlyHint: false, idempotentHint: true },
    description: 'Fetch cases of your run, and answer each `prompt`. Repeat with wait until ended is true.',
    operations: { getNextCases: [] },
    names: { id: 'run_id' },
    without: ['lease_s', 'max_tokens'],
    input: { known: knownTexts },
    output: ['cases.case_id', 'cases.prompt', 'ended'],
    about: { known: 'Ids of `shared` you have.', worker: 'If you fetch in parallel.', wait: 'Seconds.' },
    run: async ({ known }, call) =>
      // The body of the operation, and an argument that has been checked.
      withPromptOnce(
        (await call({ max_tokens: toolTokensMax })) as Static<typeof PulledCases>,
        known as readonly string[] | undefined,
      ),
  },
  {
    name: 'answer',
    title: 'Submit answers',
    description: 'Submit your answers to cases. They are final: follow prompts to the letter.',
    operations: { submitAnswers: [] },
    names: { id: 'run_id' },
    output: ['accepted', 'ended'],
    about: { answers: 'Each `{case_id, text}`.' },
    // The body of the operation.
    run: async (_given, call) => withOpenCases((await call()) as Static<typeof AnswersAccepted>),
  },
  {
    name: 'get_case',
    title: 'Get the prompt of a case',
    description: 'Get the full prompt of a case of a completed run.',
    operations: { getRunsByIdCasesByCaseIdPrompt: [] },
    names: { id: 'run_id' },
    about: { case_id: 'Such as length-4.' },
  },
];
