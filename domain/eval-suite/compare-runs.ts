/** Compares two runs of one agent: what got better and what got worse, per category and per grader. */
import type { CaseResult } from './eval-case.ts';
import { roundToTenth } from './round.ts';
import { scoreRun } from './score-run.ts';
import type { GraderScore } from './scorecard/score-json-schema.ts';

/** One figure in both runs; null where a run has none. `change` is `after` minus `before` when both are there. */
export interface Comparison {
  readonly name: string;
  readonly before: number | null;
  readonly after: number | null;
  readonly change: number | null;
}

export interface RunComparison {
  /** Scores of 0 to 100. */
  readonly score: { readonly before: number; readonly after: number; readonly change: number };
  /** Whether the two 95 % intervals stay clear of each other; chance alone explains smaller changes. */
  readonly clear: boolean;
  /** Scores of 0 to 100. */
  readonly categories: readonly Comparison[];
  /** Percentages of checks passed. */
  readonly graders: readonly Comparison[];
}

/** The cases differ from run to run, so only shares are compared, never case by case. */
export function compareRuns(before: readonly CaseResult[], after: readonly CaseResult[]): RunComparison {
  const [first, second] = [scoreRun(before), scoreRun(after)];
  return {
    score: {
      before: first.score,
      after: second.score,
      change: roundToTenth(second.score - first.score),
    },
    clear: first.interval.high < second.interval.low || second.interval.high < first.interval.low,
    categories: compareByName(first.categories, second.categories),
    graders: compareByName(first.graders.map(passShare), second.graders.map(passShare)),
  };
}

interface Figure {
  readonly name: string;
  readonly score: number;
}

function compareByName(before: readonly Figure[], after: readonly Figure[]): Comparison[] {
  const names = [...new Set([...before, ...after].map((figure) => figure.name))];
  const find = (figures: readonly Figure[], name: string) =>
    figures.find((figure) => figure.name === name)?.score ?? null;
  return names.map((name) => {
    const [earlier, later] = [find(before, name), find(after, name)];
    const change = earlier === null || later === null ? null : roundToTenth(later - earlier);
    return { name, before: earlier, after: later, change };
  });
}

function passShare(grader: GraderScore): Figure {
  return { name: grader.name, score: roundToTenth((grader.passed / grader.checks) * 100) };
}
