/** Tests whether two runs differ by more than chance, and which of several differences are significant. */
import type { AbilityEstimate } from './ability.ts';

export interface ScoreComparison {
  readonly before: number;
  readonly after: number;
  readonly change: number;
  /** The 95% interval of the change. */
  readonly interval: { readonly low: number; readonly high: number };
  /** The p-value of a two-sided z-test on ability. */
  readonly p: number;
  /** The smallest change of the score that runs of this size detect four times in five. */
  readonly detectable: number;
}

const twoSided95 = 1.96;
const power80 = 0.84;
/**
 * Widens the standard error of a difference: without it, up to 5.4% of simulated equal pairs differ at the 5% level.
 */
const caution = 1.03;

export function compareAbilities(before: AbilityEstimate, after: AbilityEstimate): ScoreComparison {
  const change = after.score - before.score;
  const scoreSe = caution * Math.hypot(before.scoreSe, after.scoreSe);
  const z = (after.ability - before.ability) / (caution * Math.hypot(before.se, after.se));
  return {
    before: before.score,
    after: after.score,
    change,
    interval: { low: change - twoSided95 * scoreSe, high: change + twoSided95 * scoreSe },
    p: twoSidedP(z),
    detectable: (twoSided95 + power80) * scoreSe,
  };
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
