/** Schema of the comparison of two runs of a product. */
import { Type, type Static } from 'typebox';
import { type ComparedSide, pooledRunsMax, type RunComparison } from '#domain/runs/compare-runs.ts';
import { component, nullable, object } from './object.ts';
import { interval } from './run-values.ts';
import { instant, oneOf, uuid } from './values.ts';

const outcomes = ['better', 'worse', 'same'] as const;

const points = (description: string) => Type.Number({ minimum: 0, maximum: 100, description });
const difference = (description: string) => Type.Number({ minimum: -100, maximum: 100, description });
const clear = () =>
  Type.Boolean({
    description:
      'Whether the 95% confidence interval of the change excludes 0. If false, the change may be due to chance.',
  });
const count = () => Type.Integer({ minimum: 0 });

const ComparedRun = component(
  'ComparedRun',
  object({
    id: uuid(),
    target_url: nullable(Type.String()),
    score: points('From 0 to 100, with one decimal.'),
    finished_at: nullable(instant()),
    pooled: Type.Array(uuid(), {
      maxItems: pooledRunsMax,
      description: 'The earlier runs whose cases also count on this side, newest first.',
    }),
  }),
);

const named = (of: string) => ({
  name: Type.String(),
  before: nullable(points(`${of}; null if the run has none.`)),
  after: nullable(points(`${of}; null if the run has none.`)),
  change: nullable(difference('`after` minus `before`.')),
  outcome: nullable(oneOf(outcomes)),
  clear: clear(),
  interval: nullable(interval('The 95% confidence interval of the change.')),
  flagged: Type.Boolean({
    description: 'Whether the change remains significant after correction for all categories.',
  }),
});

export const EvalComparison = component(
  'EvalComparison',
  object({
    suite: object({ name: Type.String(), version: Type.String() }),
    before: ComparedRun,
    after: ComparedRun,
    score: object({
      before: points('With pooled runs, of all their cases.'),
      after: points('With pooled runs, of all their cases.'),
      change: difference('`after` minus `before`.'),
      interval: interval('The 95% confidence interval of the change.'),
      p: Type.Number({ description: 'The two-sided p-value of equal ability.' }),
      detectable: Type.Number({ description: 'The smallest change that runs of this size would detect.' }),
      outcome: oneOf(outcomes),
      clear: clear(),
    }),
    paired: nullable(
      object(
        {
          items: Type.Integer({ minimum: 1, description: 'The cases or tasks that both runs have.' }),
          before: points('The mean share of their points.'),
          after: points('The mean share of their points.'),
          change: difference('`after` minus `before`.'),
          interval: interval('The 95% confidence interval of the change.'),
          p: Type.Number({ description: 'The two-sided p-value of a permutation test within the items.' }),
          detectable: Type.Number({ description: 'The smallest change that runs like these would detect.' }),
          clear: Type.Boolean({ description: 'Whether the change is unlikely to be chance.' }),
        },
        {
          description:
            'Item by item, if one run replays the other or both replay the same: more sensitive than `score`. Otherwise null.',
        },
      ),
    ),
    categories: Type.Array(
      object({
        ...named('Score'),
        cases: object(
          { before: count(), after: count() },
          { description: 'The number of cases in each run.' },
        ),
      }),
      { description: 'The figures of agent runs.' },
    ),
    flags: object({
      method: oneOf(['holm']),
      available: Type.Boolean({ description: 'Needs 120 cases or tasks a side.' }),
      reason: nullable(Type.String()),
    }),
  }),
);

export const EvalComparisonResponse = component(
  'EvalComparisonResponse',
  object({ comparison: EvalComparison }),
);

export function comparedRuns() {
  return object({
    id: uuid('The baseline: one of your completed runs.'),
    other_id: uuid('Another completed run, usually a later one.'),
  });
}

export function comparisonQuery() {
  return object({
    pool: Type.Optional(
      Type.Boolean({
        default: false,
        description: `Adds up to ${pooledRunsMax} earlier runs of the same version to each side: those before the older run, and those between the two.`,
      }),
    ),
  });
}

export function showComparison(comparison: RunComparison): Static<typeof EvalComparison> {
  const { before, after, score, paired, categories, flags } = comparison;
  return {
    suite: { name: after.run.suiteName, version: after.run.suiteVersion },
    before: showRun(before),
    after: showRun(after),
    score: { ...score, interval: { ...score.interval } },
    paired: paired === null ? null : { ...paired, interval: { ...paired.interval } },
    categories: categories.map(({ count: cases, interval, ...change }) => ({
      ...change,
      interval: interval === null ? null : { ...interval },
      cases: { ...cases },
    })),
    flags: { ...flags },
  };
}

function showRun({ run, pooled }: ComparedSide): Static<typeof ComparedRun> {
  return {
    id: run.id,
    target_url: run.targetUrl || null,
    // A completed run has a score.
    score: run.score ?? 0,
    finished_at: run.finishedAt?.toISOString() ?? null,
    pooled: pooled.map(({ id }) => id),
  };
}
