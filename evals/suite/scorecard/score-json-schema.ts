/**
 * The schema of `score_json`, and its types. `schema_version` is raised when a field is removed or changes its meaning;
 * new fields may be added at any time.
 */
import { Type } from 'typebox';
import type { Static } from 'typebox';

export const scoreJsonVersion = 3;

const percentage = (description: string) => Type.Number({ minimum: 0, maximum: 100, description });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const orNull = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);

const tally = {
  cases: count('all cases, including those in error'),
  passed: count('cases with the full score'),
  failed: count('cases with a reply but not the full score'),
  errors: count('cases without a usable reply; each scores 0 and stays in every denominator'),
};

const checkSchema = Type.Object({
  name: Type.String({ description: 'the skill that the check tests' }),
  passed: Type.Boolean(),
  message: Type.String({ description: 'what was expected and what was found' }),
  weight: Type.Optional(Type.Number({ description: 'share inside the case, 1 when absent' })),
});

const resultSchema = Type.Object({
  index: count('position in the run, from 0'),
  id: Type.String(),
  category: Type.String(),
  kind: Type.String(),
  level: Type.Integer({ minimum: 1, maximum: 8 }),
  stage: Type.Integer({ minimum: 1, maximum: 2 }),
  status: Type.Union([Type.Literal('passed'), Type.Literal('failed'), Type.Literal('error')]),
  score: Type.Number({ minimum: 0, maximum: 1 }),
  weight: Type.Number({ minimum: 0 }),
  checks: Type.Array(checkSchema),
  found: orNull(Type.String()),
  right_value_wrong_wrapping: Type.Optional(Type.Literal(true)),
  form_kept: Type.Optional(Type.Boolean()),
  error_code: orNull(Type.String()),
  error_message: Type.Optional(Type.String({ description: 'why there is no reply, as the agent says' })),
  attempts: count('1, and the most retries that a turn needed'),
  latency_ms: orNull(Type.Number()),
});

const categorySchema = Type.Object({
  name: Type.String(),
  weight: percentage('share of the suite'),
  score: percentage('mean of its cases, at the levels that were asked'),
  ...tally,
  levels: Type.Array(
    Type.Object({
      level: Type.Integer({ minimum: 1, maximum: 8 }),
      cases: count('cases at this level'),
      score: percentage('their mean'),
    }),
  ),
});

const skillSchema = Type.Object({
  name: Type.String(),
  checks: count('checks made'),
  passed: count('checks passed'),
});

const firstFixSchema = Type.Object({
  category: Type.String(),
  failure: Type.String({ description: 'no reply, nothing readable, wrong wrapping, or wrong' }),
  cases: count('cases that failed in this way'),
  points: Type.Number({ description: 'points lost, of 100' }),
  skills: Type.Array(Type.String(), { description: 'the checks that failed' }),
  indexes: Type.Array(Type.Integer(), { description: 'the cases' }),
});

export const latencySchema = Type.Object(
  { p50_ms: Type.Number(), p90_ms: Type.Number(), max_ms: Type.Number() },
  { description: 'by nearest rank, over the cases with a reply' },
);

/** The whole of `score_json`. Prompts and replies are in the cases next to it. */
export const scoreJsonSchema = Type.Object(
  {
    schema_version: Type.Literal(scoreJsonVersion),
    job_id: Type.String(),
    suite: Type.Object({
      name: Type.String(),
      version: Type.String(),
      seed: Type.String(),
    }),
    mode: Type.Union([Type.Literal('push'), Type.Literal('pull')]),
    target_url: orNull(Type.String()),
    concurrency: orNull(Type.Integer({ description: 'calls at once; null in pull mode' })),
    started_at: Type.String({ description: 'ISO 8601, UTC' }),
    finished_at: Type.String({ description: 'ISO 8601, UTC' }),
    score: percentage('the expected share if all levels are asked equally often'),
    interval: Type.Object(
      { low: percentage('lower end'), high: percentage('upper end') },
      { description: '95% interval of the score' },
    ),
    level: Type.Object(
      {
        value: Type.Number(),
        se: Type.Number(),
        top: Type.Boolean({ description: 'whether the level is only known to be at least `value`' }),
      },
      { description: 'the level at which the agent breaks down, from 0 to 9, and its standard error' },
    ),
    ...tally,
    error_rate: percentage('share of cases in error'),
    wrong_wrapping: count('cases with the right value in a wrong wrapping'),
    form: Type.Object({
      asked: count('cases that ask for a format'),
      kept: count('those of them with the format'),
    }),
    categories: Type.Array(categorySchema, { description: 'in the order of the ladder' }),
    skills: Type.Array(skillSchema, { description: 'most frequently failed first' }),
    first_fixes: Type.Array(firstFixSchema, { description: 'where the most points were lost' }),
    repeat: orNull(
      Type.Object(
        {
          k: count('how often each case was asked'),
          pass_k: Type.Number({ description: 'share of cases that passed every time, from 0 to 1' }),
          flaky: Type.Array(count('index of the first trial of a case that passed only some times')),
        },
        { description: 'null if each case was asked once; otherwise the tallies count every trial' },
      ),
    ),
    usage: orNull(
      Type.Object(
        { input_tokens: count('tokens read'), output_tokens: count('tokens written') },
        { description: 'as the target or the agent reports them' },
      ),
    ),
    cost: Type.Object({
      score_per_1000_tokens: orNull(Type.Number()),
      calls: orNull(count('calls of tools')),
      calls_per_passed_task: orNull(Type.Number()),
      latency: orNull(Type.Object({ p50_ms: count('median'), p90_ms: count('90th percentile') })),
    }),
    latency: orNull(latencySchema),
    solo_latency_ms: orNull(Type.Number({ description: 'median of the three cases asked one at a time' })),
    results: Type.Array(resultSchema, { description: 'in the order of the run' }),
  },
  { title: 'Scorecard of an eval run' },
);

/** Whether the stored JSON of a scorecard has this version's format. */
export function isScoreJson(
  scoreJson: Readonly<Record<string, unknown>>,
): scoreJson is ScoreJson & typeof scoreJson {
  return scoreJson['schema_version'] === scoreJsonVersion;
}

export type CategoryScore = Static<typeof categorySchema>;
export type SkillScore = Static<typeof skillSchema>;
export type FirstFix = Static<typeof firstFixSchema>;
export type LatencySummary = Static<typeof latencySchema>;
export type ScoreJson = Static<typeof scoreJsonSchema>;
