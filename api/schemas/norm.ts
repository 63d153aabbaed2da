/** Schemas of measured agents, which are shown beside scores. */
import { Type, type Static } from 'typebox';
import type { ShownNorm } from '#domain/norms/list-norms.ts';
import type { MeasuredNorm } from '#evals/scorecard/measured-norm.ts';
import { component, nullable, object } from './object.ts';
import { instant, uuid } from './values.ts';

const percentage = (description: string) => Type.Number({ minimum: 0, maximum: 100, description });
const label = () => Type.String({ description: 'What was measured, how and when.' });

/** Beside a score of the same product, suite version and pack. */
export function measuredNorms() {
  return Type.Array(
    component(
      'MeasuredNorm',
      object({
        label: label(),
        score: percentage('The mean of its runs.'),
        runs: Type.Integer({ minimum: 1 }),
      }),
    ),
    { description: 'Measured agents that whoever runs the hub has added, best first.' },
  );
}

export function showMeasured(norms: readonly MeasuredNorm[]): Static<ReturnType<typeof measuredNorms>> {
  return norms.map(({ label: name, score, runs }) => ({ label: name, score, runs }));
}

const maintainer = (what: string) =>
  nullable(Type.String({ description: `The maintainer who ${what} it; null for the operator.` }));

export const RunNorm = component(
  'RunNorm',
  object({
    run_id: uuid(),
    product: Type.String(),
    suite_version: Type.String(),
    label: label(),
    score: percentage('Of the run.'),
    added_by: maintainer('added'),
    added_at: instant(),
    removed_by: maintainer('removed'),
    removed_at: nullable(instant('Null while it is shown.')),
  }),
);

export function showNorm({ norm, addedBy, removedBy }: ShownNorm): Static<typeof RunNorm> {
  return {
    run_id: norm.runId,
    product: norm.product,
    suite_version: norm.suiteVersion,
    label: norm.label,
    score: norm.score,
    added_by: addedBy,
    added_at: norm.addedAt.toISOString(),
    removed_by: removedBy,
    removed_at: norm.removedAt === null ? null : norm.removedAt.toISOString(),
  };
}
