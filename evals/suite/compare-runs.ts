import type { StoredCase } from '#evals/suite/stored-case.ts';
import { roundToTenth } from './round-to-tenth.ts';
import { effectiveCount, scoreRun } from './score-run.ts';
import { differenceInterval, wilsonInterval } from './wilson-interval.ts';

/** The sign of a change, to one decimal. */
export type Outcome = 'better' | 'worse' | 'same';

/** A figure of both runs, 0 to 100. */
export interface Change {
  readonly before: number;
  readonly after: number;
  /** `after` minus `before`. */
  readonly change: number;
  /** 95% interval of the change (Newcombe). */
  readonly interval: { readonly low: number; readonly high: number };
  readonly outcome: Outcome;
  /** Whether the interval excludes 0, so that the change is unlikely to be chance. */
  readonly clear: boolean;
  /** The two-sided p-value of a score test of equal ability; null in version 1. */
  readonly p: number | null;
  /** The smallest change that runs of this size detect four times in five; null in version 1. */
  readonly detectable: number | null;
}

/** Whether categories can be flagged, and if not, why. */
export interface Flags {
  readonly method: 'holm';
  readonly available: boolean;
  readonly reason: string | null;
}

/** One category or grader. A figure is null where the run does not have it. */
export interface NamedChange {
  readonly name: string;
  readonly before: number | null;
  readonly after: number | null;
  readonly change: number | null;
  readonly outcome: Outcome | null;
  readonly clear: boolean;
  /** The 95% interval of the change, if both runs have the figure. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  /** Whether the change remains significant after Holm's correction for all categories. */
  readonly flagged: boolean;
  /** The cases of the category, or the checks by the grader, in each run. */
  readonly count: { readonly before: number; readonly after: number };
}

export interface RunComparison {
  readonly score: Change;
  /** Scores, in the order of the run. */
  readonly categories: readonly NamedChange[];
  /** Percentages of checks passed, from the greatest loss to the greatest gain. */
  readonly graders: readonly NamedChange[];
  readonly flags: Flags;
}

/**
 * Compares two runs of an agent by category and by grader. Runs have different cases, so only shares can be
 * compared.
 */
export function compareRuns(before: readonly StoredCase[], after: readonly StoredCase[]): RunComparison {
  const [first, second] = [scoreRun(before), scoreRun(after)];
  const graders = compareByName(first.graders.map(passShare), second.graders.map(passShare));
  return {
    score: compareFigures(
      { name: '', score: first.score, count: effectiveCount(before) },
      { name: '', score: second.score, count: effectiveCount(after) },
    ),
    categories: compareByName(first.categories.map(categoryScore), second.categories.map(categoryScore)),
    graders: graders.toSorted((left, right) => (left.change ?? 0) - (right.change ?? 0)),
    flags: { method: 'holm', available: false, reason: 'Categories of version 1 are not tested together.' },
  };
}

interface Figure {
  readonly name: string;
  /** 0 to 100. */
  readonly score: number;
  /** Number of trials. */
  readonly count: number;
}

function categoryScore({ name, score, cases }: { name: string; score: number; cases: number }): Figure {
  return { name, score, count: cases };
}

function passShare({ name, passed, checks }: { name: string; passed: number; checks: number }): Figure {
  return { name, score: (passed / checks) * 100, count: checks };
}

function compareByName(before: readonly Figure[], after: readonly Figure[]): NamedChange[] {
  const names = [...new Set([...before, ...after].map((figure) => figure.name))];
  return names.map((name) => {
    const earlier = before.find((figure) => figure.name === name);
    const later = after.find((figure) => figure.name === name);
    const count = { before: earlier?.count ?? 0, after: later?.count ?? 0 };
    if (earlier === undefined || later === undefined) {
      return {
        name,
        before: earlier === undefined ? null : roundToTenth(earlier.score),
        after: later === undefined ? null : roundToTenth(later.score),
        change: null,
        outcome: null,
        clear: false,
        interval: null,
        flagged: false,
        count,
      };
    }
    const { p: _p, detectable: _detectable, ...change } = compareFigures(earlier, later);
    return { name, ...change, flagged: false, count };
  });
}

function compareFigures(before: Figure, after: Figure): Change {
  const { low, high } = differenceInterval(estimate(before), estimate(after));
  // Rounded first, so that the change equals the difference of the figures shown.
  const [earlier, later] = [roundToTenth(before.score), roundToTenth(after.score)];
  const change = roundToTenth(later - earlier);
  return {
    before: earlier,
    after: later,
    change,
    interval: { low: roundToTenth(low * 100), high: roundToTenth(high * 100) },
    outcome: change > 0 ? 'better' : change < 0 ? 'worse' : 'same',
    clear: low > 0 || high < 0,
    p: null,
    detectable: null,
  };
}

function estimate({ score, count }: Figure) {
  const share = score / 100;
  return { share, ...wilsonInterval(share, count) };
}
