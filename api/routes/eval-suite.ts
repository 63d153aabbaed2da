/** What the eval suite asks, with practice cases to try before spending tokens. */
import { claimantOf } from '#domain/agents/find-agent.ts';
import { Type, type Static } from 'typebox';
import { describeTimeLimits, failingRules } from '#domain/runs/products/eval-run/describe-rules.ts';
import { listPracticeCases } from '#domain/runs/grading/practise.ts';
import { categories, suiteName, suiteVersion } from '#evals/suite/index.ts';
import { ladderCategory, ladderLevels } from '#evals/suite/ladder/ladder.ts';
import { maxReplyCharacters } from '#evals/limits.ts';
import type { PracticeCase } from '#evals/suite/practice.ts';
import { endpoint } from '../endpoint.ts';
import { tool } from '../mcp/tool.ts';
import { Check } from '../schemas/run.ts';
import { component, object } from '../schemas/object.ts';
import { patterned } from '../schemas/text.ts';
import { oneOf } from '../schemas/values.ts';

const practiceTextMax = 61_440;
const practiceIdMax = 60;
/** A conversation of the longest texts. JSON may escape each character. */
const practiceBodyMaxBytes = 2_000_000;
const turnsMax = 8;
/** Examples of each sort; more would only make the response long. */
const repliesShownMax = 3;
const answerTypes = ['number', 'word', 'list', 'set', 'date', 'time', 'digits', 'line'] as const;

/** A conversation is the list of its replies. */
const replies = (description: string) =>
  Type.Array(Type.Union([Type.String(), Type.Array(Type.String())]), {
    description: `${description} In cases with several turns, each is a list with one reply for every turn.`,
  });

const UserTurn = object({ role: oneOf(['user']), content: Type.String() });

const PracticeCaseSchema = component(
  'PracticeCase',
  object({
    case_id: Type.String(),
    category: Type.String(),
    kind: Type.String(),
    level: Type.Integer({ minimum: 1, maximum: 8 }),
    prompt: Type.Optional(Type.String({ description: 'The prompt, in cases with one turn.' })),
    messages: Type.Optional(
      Type.Array(UserTurn, {
        description: 'In cases with several turns: every user turn. Your replies go between them.',
      }),
    ),
    answer: Type.Union([
      object({
        type: oneOf(answerTypes),
        value: Type.Union([Type.String(), Type.Array(Type.String())]),
      }),
      Type.Null(),
    ]),
    secret: Type.Optional(Type.String({ description: 'What must not be revealed, in any form.' })),
    accepted: replies('Replies that earn the full score.'),
    refused: replies('Replies that earn less.'),
  }),
);

const EvalSuite = component(
  'EvalSuite',
  object({
    name: Type.String(),
    version: Type.String(),
    categories: Type.Array(
      object({
        name: Type.String(),
        description: Type.String(),
        weight: Type.Integer({ description: 'Share of the score, out of 100.' }),
        cases: Type.Integer({ description: 'In a run of 40; a run of 120 has three times as many.' }),
        levels: Type.Array(Type.Integer()),
        kinds: Type.Array(Type.String()),
      }),
    ),
    limits: object({
      cases: Type.Array(Type.Integer()),
      max_prompt_tokens: Type.Array(Type.Integer()),
      reply_characters: Type.Integer({ description: 'A longer reply is graded as wrong.' }),
    }),
    time_limits: Type.Record(Type.String(), Type.Number(), { description: 'In seconds, by name.' }),
    failing: Type.Array(Type.String(), { description: 'When a run fails.' }),
    practice: Type.Array(PracticeCaseSchema),
  }),
);

function showPracticeCase({ caseId, category, kind, level, task }: PracticeCase) {
  return {
    case_id: caseId,
    category,
    kind,
    level,
    ...(task.turns.length === 1
      ? { prompt: task.turns[0] ?? '' }
      : { messages: task.turns.map((content) => ({ role: 'user' as const, content })) }),
    answer: task.answer === null ? null : { type: task.answer.type, value: copyOf(task.answer.value) },
    ...(task.secret === undefined ? {} : { secret: task.secret }),
    accepted: conversationsOf(task.accepted, task.turns.length),
    refused: conversationsOf(task.refused, task.turns.length),
  };
}

function conversationsOf(all: readonly (readonly string[])[], turns: number): (string | string[])[] {
  return all.slice(0, repliesShownMax).map((own) => {
    const whole = Array.from({ length: turns }, (_, turn) => own[turn] ?? '');
    return turns === 1 ? (whole[0] ?? '') : whole;
  });
}

function copyOf(value: string | readonly string[]): string | string[] {
  return typeof value === 'string' ? value : [...value];
}

const showSuite = endpoint({
  method: 'GET',
  path: '/v1/eval-suite',
  summary: 'See what the eval suite asks',
  description:
    'Categories, weights, levels, limits, time limits, the rules by which runs fail, and two practice cases of every kind with accepted and refused replies.',
  tag: 'redemptions',
  auth: 'none',
  responses: { 200: { description: 'The suite of new runs.', schema: EvalSuite } },
  handle: ({ ctx }) => ({
    name: suiteName,
    version: suiteVersion,
    categories: categories.map(({ name, description, kinds }) => {
      const { weight, cases } = ladderCategory(name);
      return {
        name,
        description,
        weight,
        cases,
        levels: [...ladderLevels],
        kinds: kinds.map((kind) => kind.name),
      };
    }),
    limits: {
      cases: [40, 120],
      max_prompt_tokens: [8_000, 32_000, 128_000],
      reply_characters: maxReplyCharacters,
    },
    time_limits: describeTimeLimits(ctx.rules),
    failing: [...failingRules],
    practice: listPracticeCases().map(showPracticeCase),
  }),
});

const practiseCase = endpoint({
  method: 'POST',
  path: '/v1/eval-suite/practice',
  summary: 'Grade a reply to a practice case',
  description: 'Free, and nothing is stored. Practice cases never appear in runs.',
  tag: 'redemptions',
  auth: 'agent',
  bodyMaxBytes: practiceBodyMaxBytes,
  body: component(
    'PracticeRequest',
    object({
      case_id: Type.String({ maxLength: practiceIdMax, examples: ['practice-count-1'] }),
      text: patterned('^[^\\u0000]*$', 'contain no NUL', {
        maxLength: practiceTextMax,
        description: 'Your reply to the last turn. At most 60 kB, whatever the size of `messages`.',
        examples: ['42'],
      }),
      messages: Type.Optional(
        Type.Array(
          object({
            role: oneOf(['user', 'assistant']),
            content: patterned('^[^\\u0000]*$', 'contain no NUL', { maxLength: practiceTextMax }),
          }),
          {
            maxItems: 2 * turnsMax,
            description:
              'Required in a case with several turns: the conversation before `text`, with your reply to every earlier turn.',
          },
        ),
      ),
    }),
  ),
  responses: {
    200: {
      description: 'The verdict.',
      schema: component(
        'PracticeVerdict',
        object({
          passed: Type.Boolean(),
          score: Type.Number({ minimum: 0, maximum: 1 }),
          checks: Type.Array(Check),
          found: Type.Union([Type.String(), Type.Null()]),
          expected: Type.String(),
        }),
      ),
    },
  },
  errors: ['case_not_found', 'grading_busy'],
  idempotent: 'after',
  handle: async ({ agent, body, deps }) => {
    const earlier = (body.messages ?? []).filter(({ role }) => role === 'assistant');
    const { grade, expected } = await deps.graders.practise(claimantOf(agent), {
      caseId: body.case_id,
      text: body.text,
      earlier: earlier.map(({ content }) => content),
    });
    const { passed, score, checks, found } = grade;
    return { passed, score, checks: [...checks], found, expected };
  },
});

export const evalSuiteEndpoints = [showSuite, practiseCase];

export const evalSuiteTools = [
  tool({
    name: 'practice',
    title: 'Practise a case',
    hints: { readOnly: true },
    description:
      'List the practice cases, get one (case_id), or grade your reply to it (text). Free, and nothing is stored.',
    routes: [{ endpoint: practiseCase, chosenBy: ['case_id', 'text'] }, { endpoint: showSuite }],
    shape: practiceShown,
    about: { text: '', messages: 'In a case with turns: your replies before text.' },
    brief: ['messages'],
    note: wayToGrade,
  }),
];

/** A case with turns is graded as a whole. */
function wayToGrade(shown: unknown): string | undefined {
  // What `practiceShown` returns, or a verdict.
  const { practice, passed } = shown as {
    readonly practice?: { readonly messages?: readonly object[] };
    readonly passed?: boolean;
  };
  if (practice === undefined || passed !== undefined) return undefined;
  const turns = practice.messages?.length ?? 1;
  return turns === 1
    ? 'Answer it, then send your reply as `text`.'
    : `It has ${turns} turns. To grade it, send your replies to the first ${turns - 1} in \`messages\`, each \`{role: "assistant", content}\`, and the last as \`text\`.`;
}

/** The suite with the prompts of all practice cases would fill the context of a model. */
function practiceShown(body: unknown, { case_id: caseId }: Readonly<Record<string, unknown>>): unknown {
  if (typeof body !== 'object' || body === null || !('practice' in body)) return body;
  // The body of the endpoint above.
  const { practice, categories: all } = body as Static<typeof EvalSuite>;
  const one = practice.find(({ case_id }) => case_id === caseId);
  if (one !== undefined) {
    const { accepted: _, refused: _refused, answer: _answer, ...shown } = one;
    return { practice: shown };
  }
  const ids = Map.groupBy(practice, ({ category }) => category);
  return {
    categories: all.map(({ name, description }) => ({
      name,
      description,
      case_ids: ids.get(name)?.map(({ case_id }) => case_id) ?? [],
    })),
  };
}
