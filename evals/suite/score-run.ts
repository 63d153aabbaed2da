/** Scores a run of suite version 1, for comparisons. A case in error keeps its weight and scores 0. */
import type { StoredCase } from '#evals/suite/stored-case.ts';
import { roundToTenth } from './round-to-tenth.ts';

export interface RunScore {
  /** 0 to 100, one decimal. */
  readonly score: number;
  readonly categories: readonly { readonly name: string; readonly score: number; readonly cases: number }[];
  readonly graders: readonly { readonly name: string; readonly checks: number; readonly passed: number }[];
}

/** The order of `results` does not matter. No results score 0. */
export function scoreRun(results: readonly StoredCase[]): RunScore {
  const inOrder = results.toSorted((left, right) => left.index - right.index);
  const names = [...new Set(inOrder.map(({ category }) => category))];
  return {
    score: weightedScore(inOrder),
    categories: names.map((name) => {
      const own = inOrder.filter(({ category }) => category === name);
      return { name, score: weightedScore(own), cases: own.length };
    }),
    graders: countChecks(inOrder),
  };
}

/** The number of equally weighted cases that would be as informative: `(Σw)² / Σw²`. */
export function effectiveCount(results: readonly StoredCase[]): number {
  const total = results.reduce((sum, result) => sum + result.weight, 0);
  const squares = results.reduce((sum, result) => sum + result.weight ** 2, 0);
  return squares === 0 ? 0 : total ** 2 / squares;
}

function countChecks(results: readonly StoredCase[]): RunScore['graders'] {
  const checks = results.flatMap((result) => result.checks);
  const names = [...new Set(checks.map(({ name }) => name))].toSorted();
  return names.map((name) => {
    const own = checks.filter((check) => check.name === name);
    return { name, checks: own.length, passed: own.filter(({ passed }) => passed).length };
  });
}

function weightedScore(results: readonly StoredCase[]): number {
  const total = results.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return 0;
  const earned = results.reduce((sum, { weight, score }) => sum + weight * score, 0);
  return roundToTenth((earned / total) * 100);
}
