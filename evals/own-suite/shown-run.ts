/** What a run of cases shows, declared once: the hub stores it, and the API documents it. */
import { type Static, Type } from 'typebox';
import type { Fixed } from '#runtime/json-reader.ts';
import { instant, nullable, object } from '#runtime/schema-parts.ts';

const share = (options = {}) => Type.Number({ minimum: 0, maximum: 1, ...options });
const count = (options = {}) => Type.Integer({ minimum: 0, ...options });
const ids = (description: string) => Type.Array(Type.String(), { description });
const milliseconds = () => Type.Number({ minimum: 0 });
const interval = { value: share(), low: share(), high: share() };

/** As a target or an agent reports it. */
export const tokenUsage = (description: string) =>
  object(
    {
      input_tokens: count(),
      output_tokens: count(),
      cost_usd: Type.Optional(
        Type.Number({ minimum: 0, description: 'Present only if every reply reported it.' }),
      ),
      partial: Type.Optional(
        Type.Literal(true, { description: 'Present if some of the replies reported no tokens.' }),
      ),
    },
    { description },
  );

export const JudgedFigures = object(
  {
    cases: ids('The cases that they decide, alone or with rules.'),
    open: count({ description: 'Replies that wait for judges.' }),
    judges: Type.Array(
      object({
        judge: Type.String(),
        models: Type.Array(Type.String(), { description: 'As the runner calls them.' }),
        replies: count({ description: 'Replies that it was asked about.' }),
        splits: count({ description: 'Replies about which its votes differ.' }),
        split: ids('The cases with such a reply.'),
      }),
    ),
  },
  {
    title: 'JudgedFigures',
    description: 'Verdicts of judges that the runner brought. The hub does not vouch for them.',
  },
);
export type JudgedFigures = Fixed<Static<typeof JudgedFigures>>;

/** The figures of a completed run. Rates are from 0 to 1. */
export const SuiteRunFigures = object(
  {
    pass_rate: object(interval, {
      description: 'The weighted share of cases that passed, with its 95% interval.',
    }),
    pass_k: object(
      { k: Type.Integer({ minimum: 1 }), value: share() },
      { description: 'The weighted share of cases that passed in all `k` trials.' },
    ),
    flaky: ids('The cases that passed in some trials and failed in others.'),
    tags: Type.Record(
      Type.String(),
      object({
        value: share(),
        cases: Type.Integer({ minimum: 1 }),
        answered: count({ description: 'With an answer to at least one trial.' }),
      }),
    ),
    metrics: Type.Optional(
      Type.Record(
        Type.String(),
        object({ value: share(), passed: count(), graded: Type.Integer({ minimum: 1 }) }),
        { description: 'By name: of the graders with this `metric`, how many passed, over all replies.' },
      ),
    ),
    latency: nullable(object({ p50_ms: milliseconds(), p90_ms: milliseconds() })),
    usage: nullable(tokenUsage('All tokens that were reported.')),
    ungraded: count({ description: 'Replies without a verdict, which count as failed.' }),
    unanswered: count({
      description: 'Those among them that were never answered, because the run ended before.',
    }),
    errors: count({
      description: 'Trials without a reply, or without the verdict of a judge, which count as failed.',
    }),
    judged: Type.Optional(JudgedFigures),
    partial: Type.Optional(
      ids('The cases that lost assertions when the suite was imported from another tool.'),
    ),
    left_out: Type.Optional(
      count({
        description: 'Cases that the suite lacks, because its import from another tool left them out.',
      }),
    ),
    reviewed: Type.Optional(
      object(
        {
          confirmed: count(),
          overruled: ids('The cases with an overruled verdict.'),
          as_graded: nullable(object(interval)),
        },
        {
          description:
            'What the owner of the run decided about verdicts. The figures count it; `as_graded` is the pass rate without it.',
        },
      ),
    ),
  },
  { title: 'SuiteRunResult' },
);
export type SuiteRunResult = Fixed<Static<typeof SuiteRunFigures>>;

/** What is wrong with an agent, as a report says it. */
const Finding = object({
  rule: Type.String(),
  sentence: Type.String(),
  look_at: Type.String({ description: 'Where to look for the cause.' }),
  cases: ids('The cases that show it.'),
  change: Type.Optional(
    object(
      { before: Type.String(), after: Type.String() },
      { description: 'What was changed on the way, in one of these cases.' },
    ),
  ),
  certainty: Type.Enum(['certain', 'likely'], {
    type: 'string',
    description: '`likely` if another cause is possible.',
  }),
});
export type Finding = Fixed<Static<typeof Finding>>;

export const Findings = Type.Array(Finding, {
  title: 'Findings',
  maxItems: 5,
  description: 'What is wrong with the agent, the first cause first.',
});

const trialStatus = () => Type.Enum(['passed', 'failed', 'error', 'ungraded'], { type: 'string' });

/** Of a grader that a judge of the runner has decided. */
const RunnerVerdict = object({
  grader: count({ description: 'The place of the grader.' }),
  judge: Type.String(),
  by: Type.String({ description: 'The handle of the agent that asked it.' }),
  model: nullable(Type.String()),
  prompt: nullable(Type.Integer({ description: 'The version of the prompt. Null for a program.' })),
  votes: Type.Array(object({ share: share(), explanation: Type.String() })),
  at: instant(),
});
export type RunnerVerdict = Fixed<Static<typeof RunnerVerdict>>;

/** What a person decided about a trial, beside what was decided before. */
const Review = object(
  {
    passed: Type.Boolean(),
    was: trialStatus(),
    share: share(),
    reason: Type.String(),
    by: Type.String(),
    at: instant(),
  },
  { description: 'What the owner of the run decided, and what the trial was before.' },
);
export type Review = Fixed<Static<typeof Review>>;

const SuiteTrial = object(
  {
    index: count(),
    case_id: Type.String(),
    trial: Type.Integer({ minimum: 1 }),
    status: trialStatus(),
    score: share({ description: 'The share of the case: the mean of its graders.' }),
    graders: Type.Array(
      object({
        name: Type.String(),
        passed: nullable(Type.Boolean({ description: 'Null without a verdict.' })),
        expected: nullable(Type.String()),
        found: nullable(Type.String()),
      }),
    ),
    response_text: nullable(
      Type.String({ description: 'The first 4,000 characters of the reply; 8,000 in an eval run.' }),
    ),
    tool_calls: Type.Optional(
      Type.Array(
        object({
          name: Type.String({ maxLength: 200 }),
          arguments: Type.Unknown({ description: 'An object, or the text that was sent instead.' }),
        }),
      ),
    ),
    earlier: Type.Optional(
      Type.Array(Type.String(), { description: 'Of a case with turns: the replies before the last one.' }),
    ),
    shortened: Type.Optional(
      Type.Literal(true, {
        description: 'Present if a reply, or the arguments of a call, are stored only in part.',
      }),
    ),
    judged: Type.Optional(Type.Array(RunnerVerdict, { description: 'What judges of the runner said.' })),
    review: Type.Optional(Review),
    undone: Type.Optional(
      Type.Array(Type.String(), { description: 'The changes without which the reply passes, by name.' }),
    ),
    ungraded: Type.Optional(
      nullable(Type.String({ description: 'Why there is no verdict. The trial counts as failed.' })),
    ),
    error_code: nullable(Type.String()),
    error_message: Type.Optional(Type.String({ description: 'Why there is no reply, as the agent says.' })),
    error_response: Type.Optional(
      object(
        {
          status: Type.Integer(),
          excerpt: nullable(Type.String({ description: 'The first 500 characters of its body.' })),
        },
        { description: 'What the target sent instead of a reply that can be used. Absent if nothing came.' },
      ),
    ),
    attempts: count(),
    latency_ms: nullable(count()),
    usage: Type.Optional(tokenUsage('As reported.')),
  },
  { title: 'SuiteTrial' },
);
export type ShownTrial = Fixed<Static<typeof SuiteTrial>>;

export const SuiteRunCase = object(
  {
    case_id: Type.String(),
    title: Type.Optional(Type.String({ description: 'Absent in a hidden suite.' })),
    lost: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Assertions that the import left out. Absent in a hidden suite.',
      }),
    ),
    tags: Type.Array(Type.String()),
    weight: Type.Number({ minimum: 0 }),
    prompt: nullable(
      Type.String({
        description: 'The first 4,000 characters; null in a hidden suite, or if the hub no longer has it.',
      }),
    ),
    pass_rate: nullable(share({ description: 'Null if no trial was graded.' })),
    trials: Type.Array(SuiteTrial),
  },
  { title: 'SuiteRunCase' },
);
export type ShownSuiteCase = Fixed<Static<typeof SuiteRunCase>>;
