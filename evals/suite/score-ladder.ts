/**
 * Scores a run. The score is the expected share if all levels are asked equally often, so the levels
 * that a run happened to ask do not bias it. Cases in error stay in every denominator with the share 0.
 */
import type { StoredCase } from '#evals/suite/stored-case.ts';
import { type AbilityEstimate, estimateAbility, type LadderVerdict } from './ladder/ability.ts';
import { ladderCategories, ladderLevels, levelNamed } from './ladder/ladder.ts';
import { roundToTenth } from './round-to-tenth.ts';
import type { CategoryScore, FirstFix, SkillScore } from './scorecard/score-json-schema.ts';

export function estimateRun(results: readonly StoredCase[]): AbilityEstimate {
  return estimateAbility(verdictsOf(results));
}

export function verdictsOf(results: readonly StoredCase[]): LadderVerdict[] {
  return results.map(({ category, level, score }) => ({ category, level: levelNamed(level), share: score }));
}

/** By category and level, in the order of the ladder. */
export function scoreCategories(results: readonly StoredCase[]): CategoryScore[] {
  return ladderCategories.flatMap(({ name, weight }) => {
    const own = results.filter((result) => result.category === name);
    if (own.length === 0) return [];
    const levels = ladderLevels.flatMap((level) => {
      const cases = own.filter((result) => result.level === level);
      return cases.length === 0 ? [] : [{ level, cases: cases.length, score: meanPercent(cases) }];
    });
    return [{ name, weight, score: meanPercent(own), ...countStatuses(own), levels }];
  });
}

/** Checks by name, the most frequently failed first. */
export function scoreSkills(results: readonly StoredCase[]): SkillScore[] {
  const skills = new Map<string, { name: string; checks: number; passed: number }>();
  for (const { name, passed } of results.flatMap(({ checks }) => checks)) {
    const skill = skills.get(name) ?? { name, checks: 0, passed: 0 };
    skills.set(name, skill);
    skill.checks += 1;
    if (passed) skill.passed += 1;
  }
  return [...skills.values()].toSorted(
    (left, right) =>
      right.checks - right.passed - (left.checks - left.passed) || (left.name < right.name ? -1 : 1),
  );
}

/** What went wrong in a case that did not pass. */
export type FailureKind = 'no reply' | 'nothing readable' | 'wrong wrapping' | 'wrong';

export function failureKindOf(result: StoredCase): FailureKind | null {
  if (result.status === 'passed') return null;
  if (result.status === 'error') return 'no reply';
  if (result.right_value_wrong_wrapping === true) return 'wrong wrapping';
  return result.found === null && result.score === 0 ? 'nothing readable' : 'wrong';
}

/** Where the most points were lost, by category and kind of failure, with the skills whose checks failed. */
export function findFirstFixes(results: readonly StoredCase[], max: number): FirstFix[] {
  const groups = new Map<string, StoredCase[]>();
  for (const result of results) {
    const failure = failureKindOf(result);
    if (failure === null) continue;
    const key = `${result.category}/${failure}`;
    groups.set(key, [...(groups.get(key) ?? []), result]);
  }
  const fixes = [...groups.values()].flatMap((own) => {
    const [first] = own;
    const failure = first === undefined ? null : failureKindOf(first);
    if (first === undefined || failure === null) return [];
    const failed = own.map(({ checks }) => ({ checks: checks.filter(({ passed }) => !passed) }));
    const lost = own.reduce((sum, { weight, score }) => sum + weight * (1 - score), 0);
    return [
      {
        category: first.category,
        failure,
        cases: own.length,
        points: roundToTenth(lost),
        skills: [...new Set(failed.flatMap(({ checks }) => checks.map(({ name }) => name)))].slice(0, 4),
        indexes: own.map(({ index }) => index),
      },
    ];
  });
  return fixes.toSorted((left, right) => right.points - left.points).slice(0, max);
}

export function countStatuses(results: readonly StoredCase[]) {
  const count = (status: StoredCase['status']) => results.filter((result) => result.status === status).length;
  return { cases: results.length, passed: count('passed'), failed: count('failed'), errors: count('error') };
}

function meanPercent(results: readonly StoredCase[]): number {
  return roundToTenth((100 * results.reduce((sum, { score }) => sum + score, 0)) / results.length);
}
