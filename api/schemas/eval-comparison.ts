/** Schema of the comparison of two eval runs. */
import { Type, type Static } from 'typebox';
import type { EvalJobComparison } from '#domain/eval-jobs/compare-eval-jobs.ts';
import type { EvalJobRow } from '#db/schema/eval-tables.ts';
import { component, nullable, object } from './object.ts';
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
    target_url: Type.String(),
    score: points('From 0 to 100, with one decimal.'),
    finished_at: nullable(instant()),
  }),
);

const named = (of: string) => ({
  name: Type.String(),
  before: nullable(points(`${of} in the run \`before\`; null if the run has none.`)),
  after: nullable(points(`${of} in the run \`after\`; null if the run has none.`)),
  change: nullable(difference('`after` minus `before`.')),
  outcome: nullable(oneOf(outcomes)),
  clear: clear(),
});

export const EvalComparison = component(
  'EvalComparison',
  object({
    suite: object({ name: Type.String(), version: Type.String() }),
    before: ComparedRun,
    after: ComparedRun,
    score: object({
      before: points('The score of the `before` run.'),
      after: points('The score of the `after` run.'),
      change: difference('`after` minus `before`.'),
      interval: object(
        { low: difference('Lower end.'), high: difference('Upper end.') },
        { description: 'The 95% confidence interval of the change.' },
      ),
      outcome: oneOf(outcomes),
      clear: clear(),
    }),
    categories: Type.Array(
      object({
        ...named('Score'),
        cases: object(
          { before: count(), after: count() },
          { description: 'The number of cases in each run.' },
        ),
      }),
      { description: 'In the order in which the run lists them.' },
    ),
    graders: Type.Array(
      object({
        ...named('Percentage of checks passed'),
        checks: object(
          { before: count(), after: count() },
          { description: 'The number of checks by the grader in each run.' },
        ),
      }),
      { description: 'Sorted by change, from the greatest loss to the greatest gain.' },
    ),
  }),
);

export function showComparison(comparison: EvalJobComparison): Static<typeof EvalComparison> {
  const { before, after, score, categories, graders } = comparison;
  return {
    suite: { name: after.suiteName, version: after.suiteVersion },
    before: showRun(before, score.before),
    after: showRun(after, score.after),
    score: { ...score, interval: { ...score.interval } },
    categories: categories.map(({ count: cases, ...change }) => ({ ...change, cases: { ...cases } })),
    graders: graders.map(({ count: checks, ...change }) => ({ ...change, checks: { ...checks } })),
  };
}

function showRun(job: EvalJobRow, score: number): Static<typeof ComparedRun> {
  return {
    id: job.id,
    target_url: job.targetUrl,
    score,
    finished_at: job.finishedAt?.toISOString() ?? null,
  };
}
