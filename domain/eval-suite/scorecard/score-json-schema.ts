/**
 * The schema of `score_json` and its types. `schema_version` is raised when a field is removed or changes its
 * meaning; new fields may be added at any time.
 */
import { Type } from 'typebox';
import type { Static } from 'typebox';

export const scoreJsonVersion = 1;

const percentage = (description: string) => Type.Number({ minimum: 0, maximum: 100, description });
const count = (description: string) => Type.Integer({ minimum: 0, description });

const interval = (of: string) =>
  Type.Object(
    { low: percentage('lower end'), high: percentage('upper end') },
    { description: `95% Wilson interval of ${of}` },
  );

const tally = {
  cases: count('all cases, including those in error'),
  passed: count('cases in which every check passed'),
  failed: count('cases with a reply in which a check failed'),
  errors: count('cases without a usable reply; each scores 0 and stays in every denominator'),
};

const passRate = {
  strict: percentage('share of cases in which every check passed'),
  loose: percentage('the same, ignoring text around the answer'),
};

const checkSchema = Type.Object({
  name: Type.String({ description: 'name of the grader' }),
  passed: Type.Boolean(),
  message: Type.String({ description: 'what was expected and what was found' }),
  passed_loose: Type.Optional(Type.Boolean({ description: 'absent when equal to passed' })),
  weight: Type.Optional(Type.Number({ description: 'share inside the case, 1 when absent' })),
});

const difficulty = Type.Union([Type.Literal('easy'), Type.Literal('medium'), Type.Literal('hard')]);

const resultSchema = Type.Object({
  index: count('position in the run, from 0'),
  id: Type.String(),
  category: Type.String(),
  kind: Type.Optional(Type.String()),
  difficulty: Type.Optional(difficulty),
  status: Type.Union([Type.Literal('passed'), Type.Literal('failed'), Type.Literal('error')]),
  score: Type.Number({ minimum: 0, maximum: 1 }),
  weight: Type.Number({ minimum: 0 }),
  checks: Type.Array(checkSchema),
  error_code: Type.Union([Type.String(), Type.Null()]),
  attempts: count('calls made for the case'),
  latency_ms: Type.Union([Type.Number(), Type.Null()]),
});

const categorySchema = Type.Object({
  name: Type.String(),
  weight: percentage('share of the suite'),
  score: percentage('weighted mean of its cases'),
  ...tally,
  pass_rate: Type.Object(passRate),
});

const graderSchema = Type.Object({
  name: Type.String(),
  checks: count('checks made'),
  passed: count('checks passed'),
  passed_loose: count('checks passed, ignoring text around the answer'),
});

const difficultySchema = Type.Object({
  name: difficulty,
  score: percentage('weighted mean of its cases'),
  ...tally,
});

export const runScoreSchema = Type.Object({
  score: percentage('weighted mean of all cases'),
  interval: interval('the score'),
  ...tally,
  pass_rate: Type.Object({
    ...passRate,
    strict_interval: interval('the strict pass rate'),
    loose_interval: interval('the loose pass rate'),
  }),
  error_rate: percentage('share of cases in error'),
  categories: Type.Array(categorySchema, { description: 'in the order of the run' }),
  difficulties: Type.Array(difficultySchema, { description: 'from easy to hard; empty when not known' }),
  graders: Type.Array(graderSchema, { description: 'most failed checks first' }),
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
    suite: Type.Object({ name: Type.String(), version: Type.String(), seed: Type.String() }),
    target_url: Type.String(),
    started_at: Type.String({ description: 'ISO 8601, UTC' }),
    finished_at: Type.String({ description: 'ISO 8601, UTC' }),
    ...runScoreSchema.properties,
    latency: Type.Union([latencySchema, Type.Null()]),
    results: Type.Array(resultSchema, { description: 'in the order of the run' }),
  },
  { title: 'Scorecard of an eval run' },
);

export type RunScore = Static<typeof runScoreSchema>;
export type CategoryScore = Static<typeof categorySchema>;
export type DifficultyScore = Static<typeof difficultySchema>;
export type GraderScore = Static<typeof graderSchema>;
export type LatencySummary = Static<typeof latencySchema>;
export type ScoreJson = Static<typeof scoreJsonSchema>;
