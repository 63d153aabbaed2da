/**
 * Scores a run from its case results. Cases in error stay in every denominator with the score 0 and are also
 * counted separately.
 */
import type { CaseResult, Difficulty } from './eval-case.ts';
import type { CategoryScore, DifficultyScore, GraderScore, RunScore } from './scorecard/score-json-schema.ts';
import { wilsonInterval } from './wilson-interval.ts';

const difficulties: readonly Difficulty[] = ['easy', 'medium', 'hard'];

/** The order of `results` does not matter. No results score 0. */
export function scoreRun(results: readonly CaseResult[]): RunScore {
  const inOrder = results.toSorted((left, right) => left.index - right.index);
  const share = weightedScore(inOrder);
  const strict = rate(inOrder, passedStrictly);
  const loose = rate(inOrder, passedLoosely);
  const tally = countStatuses(inOrder);
  return {
    score: percent(share),
    interval: percentInterval(share, effectiveCount(inOrder)),
    ...tally,
    pass_rate: {
      strict: percent(strict),
      loose: percent(loose),
      strict_interval: percentInterval(strict, inOrder.length),
      loose_interval: percentInterval(loose, inOrder.length),
    },
    error_rate: percent(inOrder.length === 0 ? 0 : tally.errors / inOrder.length),
    categories: scoreCategories(inOrder),
    difficulties: scoreDifficulties(inOrder),
    graders: scoreGraders(inOrder),
  };
}

/** The number of equally weighted cases that would be as informative: `(Σw)² / Σw²`. */
export function effectiveCount(results: readonly CaseResult[]): number {
  const total = results.reduce((sum, result) => sum + result.weight, 0);
  const squares = results.reduce((sum, result) => sum + result.weight ** 2, 0);
  return squares === 0 ? 0 : total ** 2 / squares;
}

function scoreCategories(results: readonly CaseResult[]): CategoryScore[] {
  const names = [...new Set(results.map((result) => result.category))];
  return names.map((name) => {
    const own = results.filter((result) => result.category === name);
    return {
      name,
      weight: roundToTenth(own.reduce((sum, result) => sum + result.weight, 0)),
      score: percent(weightedScore(own)),
      ...countStatuses(own),
      pass_rate: { strict: percent(rate(own, passedStrictly)), loose: percent(rate(own, passedLoosely)) },
    };
  });
}

function scoreDifficulties(results: readonly CaseResult[]): DifficultyScore[] {
  return difficulties.flatMap((name) => {
    const own = results.filter((result) => result.difficulty === name);
    return own.length === 0 ? [] : [{ name, score: percent(weightedScore(own)), ...countStatuses(own) }];
  });
}

function scoreGraders(results: readonly CaseResult[]): GraderScore[] {
  const checks = results.flatMap((result) => result.checks);
  const names = [...new Set(checks.map((check) => check.name))].toSorted();
  const scores = names.map((name) => {
    const own = checks.filter((check) => check.name === name);
    return {
      name,
      checks: own.length,
      passed: own.filter((check) => check.passed).length,
      passed_loose: own.filter((check) => check.passed_loose ?? check.passed).length,
    };
  });
  return scores.toSorted((left, right) => right.checks - right.passed - (left.checks - left.passed));
}

function weightedScore(results: readonly CaseResult[]): number {
  const total = results.reduce((sum, result) => sum + result.weight, 0);
  if (total === 0) return 0;
  const earned = results.reduce((sum, result) => sum + result.weight * scoreOf(result), 0);
  return earned / total;
}

function scoreOf(result: CaseResult): number {
  if (result.status === 'error') return 0;
  if (!(result.score >= 0 && result.score <= 1)) {
    throw new RangeError(`Case ${result.id} has the score ${result.score}, which is not between 0 and 1.`);
  }
  return result.score;
}

function countStatuses(
  results: readonly CaseResult[],
): Pick<RunScore, 'cases' | 'passed' | 'failed' | 'errors'> {
  const count = (status: CaseResult['status']) => results.filter((result) => result.status === status).length;
  return { cases: results.length, passed: count('passed'), failed: count('failed'), errors: count('error') };
}

function passedStrictly(result: CaseResult): boolean {
  return result.status === 'passed';
}

function passedLoosely(result: CaseResult): boolean {
  if (result.status === 'error') return false;
  return result.status === 'passed' || result.checks.every((check) => check.passed_loose ?? check.passed);
}

function rate(results: readonly CaseResult[], passes: (result: CaseResult) => boolean): number {
  return results.length === 0 ? 0 : results.filter(passes).length / results.length;
}

function percent(share: number): number {
  return roundToTenth(share * 100);
}

function percentInterval(share: number, count: number): { low: number; high: number } {
  const { low, high } = wilsonInterval(share, count);
  return { low: percent(low), high: percent(high) };
}

/** One decimal, half up. The small addend keeps 62.45, which has no exact binary form, from being rounded to 62.4. */
export function roundToTenth(value: number): number {
  return Math.round(value * 10 + 1e-9) / 10;
}
