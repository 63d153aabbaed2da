/** Tests whether two runs differ by more than chance, and which of several differences are significant. */
import { type AbilityEstimate, type LadderVerdict, scoreStatistic } from './ability.ts';

/** One run, or several pooled ones. */
export interface RatedRun {
  readonly estimate: AbilityEstimate;
  readonly verdicts: readonly LadderVerdict[];
}

export interface ScoreComparison {
  readonly before: number;
  readonly after: number;
  readonly change: number;
  /** The 95% interval of the change. */
  readonly interval: { readonly low: number; readonly high: number };
  /** The two-sided p-value of a score test of equal ability. */
  readonly p: number;
  /** The smallest change of the score that runs of this size detect four times in five. */
  readonly detectable: number;
}

const twoSided95 = 1.96;
const power80 = 0.84;
/**
 * Widens the standard error of a difference: without it, up to 6% of simulated equal pairs differ at the 5% level, most
 * of them near the ends of the scale.
 */
const caution = 1.05;

export function compareAbilities(before: RatedRun, after: RatedRun): ScoreComparison {
  const [from, to] = [before.estimate, after.estimate];
  const change = to.score - from.score;
  const scoreSe = caution * Math.hypot(from.scoreSe, to.scoreSe);
  return {
    before: from.score,
    after: to.score,
    change,
    interval: intervalOfChange(from, to),
    p: pOfEqualAbility(before.verdicts, after.verdicts),
    detectable: (twoSided95 + power80) * scoreSe,
  };
}

/** The two-sided p-value of a score test: how likely equal agents are to differ at least as much. */
export function pOfEqualAbility(before: readonly LadderVerdict[], after: readonly LadderVerdict[]): number {
  return twoSidedP(scoreStatistic(before, after) / caution);
}

/** Combines the intervals of both runs, which are not symmetric near 0 and 100 (Newcombe 1998). */
function intervalOfChange(from: AbilityEstimate, to: AbilityEstimate): ScoreComparison['interval'] {
  const change = to.score - from.score;
  const down = Math.hypot(to.score - to.interval.low, from.interval.high - from.score);
  const up = Math.hypot(to.interval.high - to.score, from.score - from.interval.low);
  return { low: change - caution * down, high: change + caution * up };
}

/**
 * Finds the p-values that remain significant at `alpha` after correction for multiple tests (Holm 1979).
 *
 * @returns for each p, in the order given, whether it is flagged
 */
export function flagByHolm(ps: readonly number[], alpha = 0.05): boolean[] {
  const flagged = ps.map(() => false);
  const order = [...ps.keys()].toSorted((left, right) => (ps[left] ?? 1) - (ps[right] ?? 1));
  for (const [rank, index] of order.entries()) {
    if ((ps[index] ?? 1) > alpha / (ps.length - rank)) break;
    flagged[index] = true;
  }
  return flagged;
}

/** The two-sided p of a standard normal deviate, to about seven digits (Abramowitz and Stegun, 7.1.26). */
export function twoSidedP(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const series =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.min(1, series * Math.exp(-x * x));
}
