/** Pull mode: the agent fetches the cases of its run and submits the replies. Also the full prompts of past cases. */
import { type Static, Type } from 'typebox';
import { answerBytesMax, answerCases, gradeAnswers } from '#domain/runs/pull/answer-cases.ts';
import { type HandedOut, mainWorker } from '#domain/runs/pull/hand-out-cases.ts';
import { showCasePrompt } from '#domain/eval-jobs/show-case-prompt.ts';
import { endpoint } from '../endpoint.ts';
import { tool } from '../mcp/tool.ts';
import { component, nullable, object } from '../schemas/object.ts';
import { patterned } from '../schemas/text.ts';
import { instant, oneOf, uuid } from '../schemas/values.ts';
import { awaitCases } from '../streams/await-cases.ts';

const evalJobKey = object({ id: uuid('The id of one of your eval jobs.') });
const casesAtOnceMax = 8;
const waitMaxSeconds = 25;
/** Leaves room for the JSON around the texts. */
const answersBodyMaxBytes = 320 * 1024;
const caseIdLengthMax = 60;

const remaining = () => Type.Integer({ minimum: 0, description: 'Cases without an answer so far.' });
const ended = () => Type.Boolean({ description: 'Whether the run has ended. Then fetch its scorecard.' });

const PulledCase = component(
  'PulledCase',
  object({
    case_id: Type.String(),
    index: Type.Integer({ minimum: 0 }),
    prompt: Type.String({ description: 'What to answer: the last of `messages`.' }),
    messages: Type.Array(object({ role: oneOf(['user', 'assistant']), content: Type.String() }), {
      description: 'The conversation so far, with your earlier replies.',
    }),
    turn: Type.Integer({ minimum: 1 }),
    turns: Type.Integer({
      minimum: 1,
      description: 'The answer to an earlier turn opens the next turn of the same case.',
    }),
    expires_at: instant('Until then the case is reserved for you. After that, it can be fetched once more.'),
    again: Type.Boolean({
      description: 'Whether the worker had fetched it already.',
    }),
  }),
);

const PulledCases = component(
  'PulledCases',
  object({
    cases: Type.Array(PulledCase),
    remaining: remaining(),
    ended: ended(),
    leased: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'If there is no new case: the open leases of all your workers.',
      }),
    ),
    next_at: Type.Optional(nullable(instant('When the first of them ends.'))),
    reason: Type.Optional(Type.String({ description: 'Why there is no new case now.' })),
    note: Type.Optional(Type.String({ description: 'Present if `max_tokens` reduced the number of cases.' })),
  }),
);

const charactersPerToken = 4;

function showHandedOut(
  { cases, noneNew, shortened, ...run }: HandedOut,
  { limit, maxTokens }: { readonly limit: number; readonly maxTokens: number | null },
): Static<typeof PulledCases> {
  return {
    cases: cases.map(({ caseId, index, messages, turn, turns, expiresAt, again }) => ({
      case_id: caseId,
      index,
      prompt: messages.at(-1)?.content ?? '',
      messages: messages.map((message) => ({ ...message })),
      turn,
      turns,
      expires_at: expiresAt.toISOString(),
      again,
    })),
    remaining: run.remaining,
    ended: run.ended,
    ...(noneNew === undefined
      ? {}
      : {
          leased: noneNew.leased,
          next_at: noneNew.nextAt?.toISOString() ?? null,
          reason: noneNew.reason,
        }),
    ...(shortened
      ? {
          note: `The cases are long: ${cases.length} instead of up to ${limit}, to stay within ${maxTokens} tokens. Answer, then fetch again.`,
        }
      : {}),
  };
}

const nextCases = endpoint({
  method: 'GET',
  path: '/v1/eval-jobs/:id/cases/next',
  scope: 'act',
  summary: 'Fetch cases of a run in pull mode',
  description:
    'Leases open cases for 10 minutes. Cases that you have not answered are returned again, with their first deadline. The first fetch starts the run, which ends after 60 minutes; cases without an answer score 0. The second stage opens once every case of the first has been answered or has expired, so there may be no new case for a while.',
  tag: 'redemptions',
  auth: 'agent',
  params: evalJobKey,
  query: object({
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: casesAtOnceMax,
        default: 1,
      }),
    ),
    worker: Type.Optional(
      patterned('^[A-Za-z0-9._-]{1,40}$', 'be 1 to 40 letters, digits, dots, hyphens and underscores', {
        default: mainWorker,
        description:
          'Give each concurrent part of your agent its own name: a case belongs to the worker that fetched it.',
        examples: ['worker-1'],
      }),
    ),
    max_tokens: Type.Optional(
      Type.Integer({
        minimum: 1_000,
        maximum: 1_000_000,
        description: 'The limit of all `messages` together, at 4 characters a token. One case always fits.',
      }),
    ),
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: waitMaxSeconds,
        default: 0,
        description: 'Seconds to wait for a case. Returns immediately when the run ends.',
      }),
    ),
  }),
  responses: {
    200: { description: 'The cases to answer now.', schema: PulledCases },
  },
  errors: ['eval_job_not_found', 'not_pull_mode'],
  handle: async ({ ctx, deps, params, query, request }) => {
    const { limit = 1, worker = mainWorker, wait = 0, max_tokens: maxTokens = null } = query;
    const handedOut = await awaitCases(ctx, {
      runId: params.id,
      product: 'eval-run',
      limit,
      worker,
      ...(maxTokens === null ? {} : { charactersMax: maxTokens * charactersPerToken }),
      waitMs: wait * 1_000,
      signals: deps.signals,
      over: AbortSignal.any([request.signal, deps.ending]),
    });
    return showHandedOut(handedOut, { limit, maxTokens });
  },
});

const submitAnswers = endpoint({
  method: 'POST',
  path: '/v1/eval-jobs/:id/answers',
  summary: 'Submit answers in pull mode',
  description:
    'Either all answers of a request are accepted, or none. An answer is final. All texts together may have 256 KiB. `usage` has `input_tokens` and `output_tokens`, or `prompt_tokens` and `completion_tokens`; its other fields are ignored.',
  tag: 'redemptions',
  auth: 'agent',
  params: evalJobKey,
  body: component(
    'AnswersRequest',
    object({
      answers: Type.Array(
        object({
          case_id: Type.String({ maxLength: caseIdLengthMax, examples: ['the `case_id` of a case'] }),
          text: patterned('^[^\\u0000]*$', 'contain no NUL', {
            maxLength: answerBytesMax,
            description: 'Your reply; it may be empty.',
            examples: ['42'],
          }),
          usage: Type.Optional(
            Type.Object(
              {},
              {
                additionalProperties: true,
                description: 'The tokens that it took.',
                examples: [{ input_tokens: 812, output_tokens: 40 }],
              },
            ),
          ),
        }),
        { minItems: 1, maxItems: casesAtOnceMax },
      ),
    }),
  ),
  bodyMaxBytes: answersBodyMaxBytes,
  responses: {
    200: {
      description: 'The answers have been graded and stored.',
      schema: component(
        'AnswersResponse',
        object({ accepted: Type.Integer({ minimum: 0 }), remaining: remaining(), ended: ended() }),
      ),
    },
  },
  errors: [
    'eval_job_not_found',
    'not_pull_mode',
    'eval_job_ended',
    'case_not_found',
    'case_answered',
    'grading_busy',
  ],
  idempotent: 'transaction',
  prepare: ({ ctx, deps, params, body }) =>
    gradeAnswers(ctx, {
      runId: params.id,
      product: 'eval-run',
      answers: body.answers.map(({ case_id, text, usage }) => ({ caseId: case_id, text, usage })),
      graders: deps.graders,
    }),
  handle: ({ ctx, prepared }) => answerCases(ctx, prepared),
});

const showPrompt = endpoint({
  method: 'GET',
  path: '/v1/eval-jobs/:id/cases/:index/prompt',
  summary: 'Get the full prompt of a case',
  description: "Prompts are not stored: the hub regenerates them from the run's seed.",
  tag: 'redemptions',
  auth: 'agent',
  params: object({
    id: uuid('The id of one of your completed eval jobs.'),
    index: patterned('^\\d{1,3}$', 'be the index of a case', { examples: ['0'] }),
  }),
  responses: { 200: { description: 'The prompt as text.', contentType: 'text/plain' } },
  errors: ['eval_job_not_found', 'eval_job_not_completed', 'case_not_found', 'prompt_gone'],
  handle: async ({ ctx, params }) => {
    const prompt = await showCasePrompt(ctx, { runId: params.id, index: Number(params.index) });
    return new Response(prompt, { headers: { 'content-type': 'text/plain; charset=utf-8' } });
  },
});

export const evalCaseEndpoints = [nextCases, submitAnswers, showPrompt];

/** The size of a result that models get in full. Hosts cut longer ones. */
const toolTokensMax = 20_000;

/** Models get each prompt once: `messages` holds what came before it. */
function withPromptOnce(body: unknown): unknown {
  // The body of the endpoint above.
  const { cases, ...rest } = body as Static<typeof PulledCases>;
  return {
    cases: cases.map(({ messages, ...one }) =>
      one.turn === 1 ? one : { ...one, messages: messages.slice(0, -1) },
    ),
    ...rest,
  };
}

export const evalCaseTools = [
  tool({
    name: 'get_cases',
    title: 'Fetch cases',
    hints: { readOnly: false, idempotent: true },
    description:
      'Fetch cases of your run, and answer each `prompt`. Repeat with wait until ended is true. From its second turn on, a case has the earlier `messages` too.',
    routes: [{ endpoint: nextCases, names: { id: 'run_id' }, fixed: { max_tokens: toolTokensMax } }],
    about: {
      run_id: '',
      limit: 'The maximum number of cases.',
      worker: 'If you fetch in parallel.',
      wait: 'Seconds to wait for a case.',
    },
    shape: withPromptOnce,
    summary: (body) => {
      // The body of the endpoint above.
      const { cases, remaining, ended, reason = '', note = '' } = body as Static<typeof PulledCases>;
      if (ended) return 'The run has ended.';
      return [`Cases: ${cases.length}. Without an answer so far: ${remaining}.`, reason, note]
        .join(' ')
        .trim();
    },
  }),
  tool({
    name: 'submit_answers',
    title: 'Submit answers',
    description: 'Submit your answers to cases. An answer is final: follow the prompt to the letter.',
    routes: [{ endpoint: submitAnswers, names: { id: 'run_id' } }],
    about: { run_id: '' },
    summary: (body) => JSON.stringify(body),
  }),
  tool({
    name: 'get_case',
    title: 'Get the prompt of a case',
    description: 'Get the full prompt of a case of a completed run.',
    routes: [{ endpoint: showPrompt, names: { id: 'run_id' } }],
    about: { run_id: '', index: '' },
  }),
];
