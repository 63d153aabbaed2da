/** What the health check asks, with practice cases to try before spending tokens. */
import { Elysia } from 'elysia';
import { claimantOf } from '#runtime/turns/turns.ts';
import { Type } from 'typebox';
import {
  describeSizes,
  describeTimeLimits,
  failingRules,
} from '#domain/runs/products/eval-run/describe-rules.ts';
import { listPracticeCases, practise, type PracticeCase } from '#domain/runs/grading/practise.ts';
import { ruleNames } from '#evals/findings/find-causes.ts';
import { parts } from '#evals/health/health-case.ts';
import { checkName, checkSizes, checkVersion, describeParts } from '#evals/health/health-check.ts';
import { maxReplyCharacters, maxTrials } from '#evals/own-suite/limits.ts';
import { named, nullable, object, oneOf, patterned } from '../schemas.ts';
import { edge, input, ok } from '../plugins/edge.ts';

const practiceTextMax = 61_440;
const practiceIdMax = 60;
/** A conversation of the longest texts. JSON may escape each character. */
const practiceBodyMaxBytes = 2_000_000;
const turnsMax = 8;
/** Examples of each sort; more would only make the response long. */
const repliesShownMax = 3;

const PracticeCaseSchema = named('PracticeCase', {
  case_id: Type.String(),
  part: oneOf([...parts]),
  topic: Type.String(),
  messages: Type.Array(object({ role: oneOf(['user']), content: Type.String() }), {
    description: 'Every turn of the user. Your replies go between them.',
  }),
  expect: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description: 'The graders of the last reply, as in suites.',
  }),
  accepted: Type.Array(Type.String(), { description: 'Last replies that pass.' }),
  refused: Type.Array(Type.String(), { description: 'Last replies that fail.' }),
});

export const EvalSuite = named('EvalSuite', {
  name: Type.String(),
  version: Type.String(),
  parts: Type.Array(
    object({
      name: oneOf([...parts]),
      about: Type.String(),
      topics: Type.Array(Type.String()),
      cases: Type.Integer({ minimum: 0, description: 'In a standard run with the default options.' }),
    }),
  ),
  sizes: Type.Array(
    object({
      size: oneOf([...checkSizes]),
      cases: Type.Array(object({ max_prompt_tokens: Type.Integer(), cases: Type.Integer({ minimum: 1 }) })),
    }),
  ),
  limits: object({
    trials: Type.Integer(),
    reply_characters: Type.Integer({ description: 'A longer reply is graded as wrong.' }),
  }),
  time_limits: Type.Record(Type.String(), Type.Number(), { description: 'In seconds, by name.' }),
  failing: Type.Array(Type.String(), { description: 'When a run fails.' }),
  findings: Type.Array(Type.String(), { description: 'The rules that name a fault, in their order.' }),
  practice: Type.Array(PracticeCaseSchema),
});

function showPracticeCase({ caseId, part, topic, turns, expect, accepted, refused }: PracticeCase) {
  return {
    case_id: caseId,
    part,
    topic,
    messages: turns.map((content) => ({ role: 'user' as const, content })),
    expect: expect.map((spec) => ({ ...spec })),
    accepted: accepted.slice(0, repliesShownMax),
    refused: refused.slice(0, repliesShownMax),
  };
}

export const evalSuiteRoutes = new Elysia({ tags: ['redemptions'] })
  .use(edge)
  .get(
    '/v1/eval-suite',
    ({ ctx }) => ({
      name: checkName,
      version: checkVersion,
      parts: describeParts(),
      sizes: describeSizes(),
      limits: { trials: maxTrials, reply_characters: maxReplyCharacters },
      time_limits: describeTimeLimits(ctx.rules),
      failing: failingRules,
      findings: ruleNames,
      practice: listPracticeCases().map(showPracticeCase),
    }),
    {
      anyone: true,
      response: ok('The suite of new eval runs.', EvalSuite),
      detail: {
        summary: 'See what the health check asks',
        description:
          'Its parts, sizes, limits and time limits, the rules by which runs fail and by which faults are named, and a practice case of every topic with accepted and refused replies.',
      },
    },
  )
  .post(
    '/v1/eval-suite/practice',
    async ({ agent, body, deps }) => {
      const earlier = (body.messages ?? []).filter(({ role }) => role === 'assistant');
      const { grade, changes } = await practise(deps.graders, claimantOf(agent), {
        caseId: body.case_id,
        text: body.text,
        earlier: earlier.map(({ content }) => content),
      });
      const { passed, share, graders } = grade;
      return { passed, score: share, graders, changes };
    },
    {
      agent: true,
      bodyMaxBytes: practiceBodyMaxBytes,
      body: input(
        named('PracticeRequest', {
          case_id: Type.String({ maxLength: practiceIdMax, examples: ['practice-word-1'] }),
          text: patterned('^[^\\u0000]*$', 'contain no NUL', {
            maxLength: practiceTextMax,
            description: 'Your reply to the last turn. At most 60 kB, whatever the size of `messages`.',
            examples: ['amber'],
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
      response: ok(
        'The verdict.',
        named('PracticeVerdict', {
          passed: Type.Boolean(),
          score: Type.Number({ minimum: 0, maximum: 1 }),
          graders: Type.Array(
            object({
              name: Type.String(),
              passed: nullable(Type.Boolean({ description: 'Null without a verdict.' })),
              expected: Type.String(),
              found: Type.String(),
            }),
          ),
          changes: Type.Array(Type.String(), {
            description: 'What changed a reply that would pass without the change.',
          }),
        }),
      ),
      errors: ['case_not_found', 'busy'],
      once: 'after',
      detail: {
        summary: 'Grade a reply to a practice case',
        description: 'Free, and nothing is stored. Practice cases never appear in runs.',
      },
    },
  );
