/** Runs of a suite under several labels. */
import { type Static, Type } from 'typebox';
import { type Matrix, matrixChanges } from '#domain/suites/show-matrix.ts';
import { caseVerdicts } from '#evals/own-suite/trial-marks.ts';
import { roundRate } from '#evals/rates.ts';
import { component, nullable, object } from '../schemas/object.ts';
import { cost, showCost, tokenUsage } from '../runs/values.ts';
import { showSources, verdictSources } from './run-model.ts';
import { oneOf, uuid } from '../schemas/values.ts';

export const LabelMatrix = component(
  'LabelMatrix',
  object({
    runs: Type.Array(
      object({
        label: Type.String(),
        run_id: uuid(),
        version: Type.String(),
        score: nullable(Type.Number()),
        ...verdictSources(),
        cost: cost(),
        usage: nullable(tokenUsage('The tokens that were reported; null if none.')),
      }),
    ),
    counts: object(Object.fromEntries(matrixChanges.map((change) => [change, Type.Integer({ minimum: 0 })]))),
    cases: Type.Array(
      object({
        case_id: Type.String(),
        change: oneOf(matrixChanges, {
          description:
            'Of the share that passed since the first run. `mixed`: lower in one run, higher in another. `unlike`: no other run has this case with the same content.',
        }),
        verdicts: Type.Array(nullable(oneOf(caseVerdicts)), {
          description: 'In the order of the runs; null if a run did not ask the case.',
        }),
        changed: Type.Array(Type.Boolean(), {
          description: 'In the order of the runs: whether the case has other content there.',
        }),
      }),
    ),
  }),
);

export function showLabelMatrix({ columns, rows }: Matrix): Static<typeof LabelMatrix> {
  const numberOf = (change: string): number => rows.filter((row) => row.change === change).length;
  return {
    runs: columns.map(({ label, run, sources }) => ({
      label,
      run_id: run.id,
      version: run.suiteVersion,
      score: run.score === null ? null : roundRate(run.score),
      ...showSources(sources),
      cost: showCost(run),
      usage: run.usage,
    })),
    counts: Object.fromEntries(matrixChanges.map((change) => [change, numberOf(change)])),
    cases: rows.map(({ caseId, change, cells }) => ({
      case_id: caseId,
      change,
      verdicts: cells.map((cell) => cell?.verdict ?? null),
      changed: cells.map((cell) => cell?.isSame === false),
    })),
  };
}
