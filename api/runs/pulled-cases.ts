/** Pull mode: an agent fetches the cases of its run, and submits its answers. */
import { Elysia } from 'elysia';
import { type Static, Type } from 'typebox';
import { runTopic } from '#domain/runs/find-run.ts';
import { type Accepted, answerCases, gradeAnswers } from '#domain/runs/pull/answer-cases.ts';
import { type HandedOut, handOutCases, mainWorker } from '#domain/runs/pull/hand-out-cases.ts';
import { answerBytesMax, errorCharactersMax, type SubmittedAnswer } from '#domain/runs/pull/pull-run.ts';
import { plainMessageOf, promptOf } from '#domain/targets/tool-calls.ts';
import { callsPerStepMax } from '#evals/worlds/world.ts';
import type { Call } from '../endpoint.ts';
import { edge, input, ok } from '../plugins/edge.ts';
import { instant, named, nullable, object, oneOf, patterned, uuid } from '../schemas.ts';
import { awaitChange } from '../streams/signal-waiter.ts';
import type { Wire } from '../wire.ts';

const runKey = object({ id: uuid('The id of one of your runs.') });
/** The id of a case in a suite, and the number of a trial. */
const caseIdLengthMax = 80;
const casesAtOnceMax = 8;
const waitMaxSeconds = 25;
const latencyMsMax = 3_600_000;
/** Leaves room for the JSON around the texts, and for escapes: a quote or a line break takes two bytes. */
const answersBodyMaxBytes = 2 * answerBytesMax + 64 * 1024;

const remaining = () => Type.Integer({ minimum: 0, description: 'Cases that are not done.' });
const ended = () => Type.Boolean({ description: 'Whether the run has ended. Then fetch its report.' });

const step = (description: string) => Type.Integer({ minimum: 0, description });

const Message = named('CaseMessage', {
  role: oneOf(['user', 'assistant', 'tool']),
  content: Type.String(),
  images: Type.Optional(
    Type.Array(Type.String(), { description: 'Data URLs of PNG, JPEG, GIF and WebP images.' }),
  ),
  tool_calls: Type.Optional(
    Type.Array(object({ id: Type.String(), name: Type.String(), arguments: Type.Unknown() }), {
      description: 'Your calls.',
    }),
  ),
  tool_call_id: Type.Optional(Type.String({ description: 'The call whose result this is.' })),
});

const PulledCase = named('PulledCase', {
  case_id: Type.String(),
  index: Type.Integer({ minimum: 0 }),
  prompt: Type.String({ description: 'The last message of the user.' }),
  messages: Type.Array(Message, {
    description: 'The conversation so far, with your own steps. The next one is yours.',
  }),
  system: Type.Optional(Type.String({ description: 'Instructions for the whole conversation.' })),
  tools: Type.Optional(
    Type.Array(
      object({
        name: Type.String(),
        description: Type.String(),
        parameters: Type.Record(Type.String(), Type.Unknown(), { description: 'A JSON Schema.' }),
      }),
      { description: 'Tools that you may call.' },
    ),
  ),
  timeout_s: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Seconds for a reply, as the suite says.' }),
  ),
  step: step('How many steps you have taken in it: the `step` of your next answer.'),
  expires_at: instant('Until then the case is reserved for you. After that, it can be fetched once more.'),
  again: Type.Boolean({
    description: 'Whether the worker had fetched it already.',
  }),
});

export const PulledCases = named('PulledCases', {
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
});

const charactersPerToken = 4;

function showHandedOut(
  { cases, noneNew, shortened, ...run }: HandedOut,
  { limit, maxTokens }: { readonly limit: number; readonly maxTokens: number | null },
): Wire<typeof PulledCases> {
  return {
    cases: cases.map(({ caseId, index, system, timeoutSeconds, tools, messages, step: next, ...one }) => ({
      case_id: caseId,
      index,
      prompt: promptOf(messages),
      messages: messages.map(plainMessageOf),
      ...(system === null ? {} : { system }),
      ...(timeoutSeconds === null ? {} : { timeout_s: timeoutSeconds }),
      ...(tools.length === 0
        ? {}
        : { tools: tools.map(({ parameters, ...tool }) => ({ ...tool, parameters: { ...parameters } })) }),
      step: next,
      expires_at: one.expiresAt.toISOString(),
      again: one.again,
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

const FetchQuery = object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: casesAtOnceMax,
      default: 1,
      description: '0 fetches nothing, and renews leases with `lease_s`.',
    }),
  ),
  lease_s: Type.Optional(
    Type.Integer({
      minimum: 30,
      maximum: 600,
      description:
        'For a program that renews its leases: how many seconds they last from now, those of earlier fetches included. A case whose lease ends is fetched by others as if you had never had it. By default, a lease lasts 600 seconds and is not renewed.',
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
});

/** Some servers of models give the arguments as a JSON text. */
const ToolCalls = Type.Array(
  object({
    id: Type.Optional(Type.String({ maxLength: 200, description: 'Its result names it.' })),
    name: Type.String({ minLength: 1, maxLength: 200 }),
    arguments: Type.Optional(Type.Unknown({ description: 'An object, or its JSON.' })),
  }),
  {
    maxItems: callsPerStepMax,
    description: 'Calls of the tools of the case, beside `text` or instead of it.',
  },
);

const Answer = object({
  case_id: Type.String({ maxLength: caseIdLengthMax, examples: ['the `case_id` of a case'] }),
  step: Type.Optional(
    step(
      'The `step` of the case. A repeated step gets the same response; one that is not the next is refused.',
    ),
  ),
  text: Type.Optional(
    patterned('^[^\\u0000]*$', 'contain no NUL', {
      maxLength: answerBytesMax,
      description: 'Your reply; it may be empty.',
      examples: ['42'],
    }),
  ),
  tool_calls: Type.Optional(ToolCalls),
  error: Type.Optional(
    patterned('^[^\\u0000]*$', 'contain no NUL', {
      minLength: 1,
      maxLength: errorCharactersMax,
      description: 'Instead of a reply: why there is none. The case is not graded and does not pass.',
    }),
  ),
  latency_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: latencyMsMax,
      description:
        'For a reply that you kept from before: how long it took. The longer of this and the time since you got the case counts.',
    }),
  ),
  usage: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'The tokens that it used, and optionally their cost.',
        examples: [{ input_tokens: 812, output_tokens: 40 }],
      },
    ),
  ),
});

export const AnswersAccepted = named('AnswersResponse', {
  accepted: Type.Integer({ minimum: 0 }),
  cases: Type.Array(
    object({
      case_id: Type.String(),
      done: Type.Boolean({ description: 'Whether the case is over. Otherwise answer `messages`.' }),
      step: Type.Optional(step('Of your next answer.')),
      messages: Type.Optional(
        Type.Array(Message, {
          description:
            'What is new: results of your calls, also of those that ended the case, or the next prompt.',
        }),
      ),
      expires_at: Type.Optional(instant('Until then the case is reserved for you.')),
    }),
    { description: 'In the order of the answers.' },
  ),
  remaining: remaining(),
  ended: ended(),
});

function showAccepted({ cases, ...run }: Accepted): Wire<typeof AnswersAccepted> {
  return {
    ...run,
    cases: cases.map((one) =>
      one.done
        ? {
            case_id: one.caseId,
            done: true,
            ...(one.messages.length === 0 ? {} : { messages: one.messages.map(plainMessageOf) }),
          }
        : {
            case_id: one.caseId,
            done: false,
            step: one.step,
            messages: one.messages.map(plainMessageOf),
            expires_at: one.expiresAt.toISOString(),
          },
    ),
  };
}

function readAnswers(answers: readonly Static<typeof Answer>[]): SubmittedAnswer[] {
  return answers.map(({ case_id: caseId, tool_calls: toolCalls, latency_ms: latencyMs, ...answer }) => ({
    ...answer,
    caseId,
    toolCalls,
    latencyMs,
  }));
}

const AnswersRequest = named('AnswersRequest', {
  answers: Type.Array(Answer, { minItems: 1, maxItems: casesAtOnceMax }),
});

/** What `grade` returns. */
type Graded = Awaited<ReturnType<typeof grade>>;

function grade({
  ctx,
  deps,
  params,
  body,
}: Call<'agent', typeof runKey, undefined, Static<typeof AnswersRequest>>) {
  return gradeAnswers(ctx, { runId: params.id, answers: readAnswers(body.answers), graders: deps.graders });
}

export const pulledCaseRoutes = new Elysia({ tags: ['redemptions'] })
  .use(edge)
  .get(
    '/v1/runs/:id/cases/next',
    async (call) => {
      const { ctx, params, query } = call;
      const { limit = 1, worker = mainWorker, wait = 0, max_tokens: maxTokens = null, lease_s } = query;
      const asked = {
        runId: params.id,
        limit,
        worker,
        ...(maxTokens === null ? {} : { charactersMax: maxTokens * charactersPerToken }),
        ...(lease_s === undefined ? {} : { renewableMs: lease_s * 1_000 }),
      };
      const handedOut = await awaitChange(call, {
        topic: runTopic(params.id),
        waitSeconds: wait,
        read: () => handOutCases(ctx, asked),
        isEnough: ({ cases, ended: isOver }) => cases.length > 0 || isOver,
      });
      return showHandedOut(handedOut, { limit, maxTokens });
    },
    {
      scope: 'act',
      agent: true,
      params: input(runKey),
      query: input(FetchQuery),
      response: ok('The cases to answer now.', PulledCases),
      errors: ['run_not_found', 'not_pull_mode'],
      detail: {
        summary: 'Fetch cases of a run in pull mode',
        description:
          'Leases open cases for 10 minutes. Cases that you have not answered are returned again, with their first deadline. The first fetch starts the run, which ends after 60 minutes (15 seconds for each of more than 240 replies, at most 6 hours; 40 minutes for each task of an `agent-run`); cases without an answer score 0. A run without any reply fails and is refunded, unless it is ranked. Some cases wait for the results of others, and the tasks of an `agent-run` come one after the other, so there may be no new case for a while. A `case_id` ends with `/` and the number of the trial if there are several.',
      },
    },
  )
  .post(
    '/v1/runs/:id/answers',
    async ({ ctx, prepared }) => showAccepted(await answerCases(ctx, prepared as Graded)),
    {
      agent: true,
      params: input(runKey),
      body: input(AnswersRequest),
      bodyMaxBytes: answersBodyMaxBytes,
      exactNumbers: true,
      response: ok('The answers have been graded and stored.', AnswersAccepted),
      errors: [
        'run_not_found',
        'not_pull_mode',
        'run_ended',
        'case_not_found',
        'case_answered',
        'wrong_step',
        'busy',
      ],
      once: 'transaction',
      prepare: grade,
      detail: {
        summary: 'Submit answers in pull mode',
        description:
          'Takes the next step of each case: a text, tool calls, or both. The response has, for each case, `done`, or the new messages and the next `step`. Either all answers of a request are accepted, or none. A step is final; a repeated one gets the same response. If you have no reply, send `error` instead of `text`: the case then counts as failed and is not graded. Where tools are offered, the same holds for a text with a call in another form. All texts together may have at most 256 KiB. `usage` has `input_tokens` and `output_tokens`, or `prompt_tokens` and `completion_tokens`, and optionally `cost_usd`; its other fields are ignored.',
      },
    },
  );
