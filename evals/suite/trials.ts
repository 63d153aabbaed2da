/**
 * Repeated cases. A run that repeats k times asks each case k times in a row: trial t, from 0, of case b has the index
 * k * b + t. Trials of a case are correlated, so estimates use the mean of each case.
 */
import type { PlannedCase } from './plan-run.ts';
import type { StoredCase } from './stored-case.ts';

/** The number of the case of a trial. */
export function caseOfTrial(index: number, repeat: number): number {
  return Math.floor(index / repeat);
}

export function withTrials(planned: readonly PlannedCase[], repeat: number): readonly PlannedCase[] {
  if (repeat === 1) return planned;
  return planned.flatMap((one) =>
    Array.from({ length: repeat }, (_, trial) => ({
      ...one,
      index: one.index * repeat + trial,
      trial: trial + 1,
      weight: one.weight / repeat,
    })),
  );
}

/** The mean share of every case whose trials have all been graded, by the number of the case. */
export function meanShares(
  recorded: readonly { readonly index: number; readonly score: number }[],
  repeat: number,
): ReadonlyMap<number, number> {
  const shares = Map.groupBy(recorded, ({ index }) => caseOfTrial(index, repeat));
  return new Map(
    [...shares].flatMap(([number, trials]) =>
      trials.length === repeat ? [[number, meanOf(trials.map(({ score }) => score))] as const] : [],
    ),
  );
}

/** One result for each case, with the mean share of its trials. */
export function meansOfTrials(results: readonly StoredCase[], repeat: number): readonly StoredCase[] {
  if (repeat === 1) return results;
  const cases = Map.groupBy(results, ({ index }) => caseOfTrial(index, repeat));
  return [...cases].flatMap(([number, trials]) => {
    const [first] = trials;
    return first === undefined
      ? []
      : [{ ...first, index: number, score: meanOf(trials.map(({ score }) => score)) }];
  });
}

export interface Repeats {
  /** The share of cases that passed in all trials, from 0 to 1. */
  readonly pass_k: number;
  /** Cases that passed in some trials and not in others: the indexes of their first trials. */
  readonly flaky: readonly number[];
}

/** Null if cases were asked once. */
export function summarizeTrials(results: readonly StoredCase[], repeat: number): Repeats | null {
  if (repeat === 1) return null;
  const cases = Map.groupBy(results, ({ index }) => caseOfTrial(index, repeat));
  // Results come in the order in which they were stored.
  const inOrder = [...cases].toSorted(([one], [other]) => one - other);
  const passes = inOrder.map(([number, trials]) => ({
    index: number * repeat,
    passed: trials.filter(({ status }) => status === 'passed').length,
    trials: trials.length,
  }));
  const always = passes.filter(({ passed, trials }) => passed === trials).length;
  return {
    pass_k: always / Math.max(1, passes.length),
    flaky: passes.flatMap(({ index, passed, trials }) => (passed > 0 && passed < trials ? [index] : [])),
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
