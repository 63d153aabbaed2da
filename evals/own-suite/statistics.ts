/** The figures of a suite run: pass rate with interval, pass^k, flaky cases, shares by tag. */
import { exactMean, type Fraction, numberOf } from '../rates.ts';

/** One case with what came of its trials. */
export interface CaseTrials {
  readonly id: string;
  readonly weight: number;
  readonly tags: readonly string[];
  /** One entry for each trial. */
  readonly passes: readonly boolean[];
}

export interface Rate {
  /** From 0 to 1, like the bounds of its 95 % interval. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** What `value` is without rounding. */
  readonly exact: Fraction;
}

/** Standard normal quantile for 95 %. */
const z = 1.959964;

/**
 * The 95 % interval of a share by Wilson's score (E. B. Wilson, 1927), which holds near 0 and 1 and for few cases too.
 *
 * @param share between 0 and 1. Partial scores vary less than 0 and 1 do, so their interval is somewhat too
 * wide.
 * @param count the number of trials, or the effective number `(Σw)² / Σw²` when they are weighted.
 */
function wilsonInterval(share: number, count: number): { low: number; high: number } {
  if (count <= 0) return { low: 0, high: 1 };
  const scale = 1 + (z * z) / count;
  const centre = (share + (z * z) / (2 * count)) / scale;
  const reach = (z / scale) * Math.sqrt((share * (1 - share)) / count + (z * z) / (4 * count * count));
  // Exact where rounding would leave a remainder, which a report shows as 0.1 %.
  return {
    low: share === 0 ? 0 : Math.max(0, centre - reach),
    high: share === 1 ? 1 : Math.min(1, centre + reach),
  };
}

/**
 * The weighted pass rate over the cases, as an estimate of the rate over all cases that could have been written in
 * their place. Null if nothing was graded.
 *
 * Trials of one case are correlated, so the cases are the sample and their pass rates the observations. Their variance
 * gives the effective number of independent trials; the interval is Wilson's for that number. For one trial this is
 * Wilson's interval over the cases.
 */
export function passRate(cases: readonly CaseTrials[]): Rate | null {
  const chosen = cases.filter(({ passes }) => passes.length > 0);
  if (chosen.length === 0) return null;
  // Only the ratios of weights count, and the squares of tiny ones would be 0. A power of two changes no digit.
  const heaviest = chosen.reduce((most, { weight }) => Math.max(most, weight), 0);
  const unit = 2 ** Math.floor(Math.log2(heaviest));
  const graded = chosen.map((one) => ({ ...one, weight: one.weight / unit }));
  const total = sum(graded.map(({ weight }) => weight));
  const means = graded.map(({ passes }) => meanOf(passes));
  const exact = exactMean(
    chosen.map(({ weight, passes }) => ({
      weight,
      passed: passes.filter(Boolean).length,
      of: passes.length,
    })),
  );
  if (exact === null) return null;
  const value = numberOf(exact);
  return { value, ...wilsonInterval(value, effectiveTrials(graded, means, value, total)), exact };
}

function effectiveTrials(
  cases: readonly CaseTrials[],
  means: readonly number[],
  value: number,
  total: number,
): number {
  const squares = sum(cases.map(({ weight }) => weight ** 2));
  /** The number of cases that equal weights would make as certain (L. Kish, 1965). */
  const worth = total ** 2 / squares;
  const spread = sum(cases.map(({ weight }, at) => weight * ((means[at] ?? 0) - value) ** 2)) / total;
  const isOneTrial = cases.every(({ passes }) => passes.length === 1);
  if (isOneTrial || spread === 0 || cases.length < 2) return worth;
  const variance = (spread * cases.length) / (cases.length - 1) / worth;
  // The quantile of Student's t for few cases, folded into the number of trials.
  return ((value * (1 - value)) / variance) * (z / studentQuantile(cases.length - 1)) ** 2;
}

/** The 97.5 % quantile of Student's t (Cornish-Fisher expansion, exact to three digits from 3 degrees on). */
function studentQuantile(degrees: number): number {
  const second = (z ** 3 + z) / 4;
  const third = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const fourth = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + second / degrees + third / degrees ** 2 + fourth / degrees ** 3;
}

/** The weighted share of cases that passed in all of their trials. `k` is the most trials of a case. */
export function passAll(cases: readonly CaseTrials[]): { readonly k: number; readonly value: number } | null {
  const graded = cases.filter(({ passes }) => passes.length > 0);
  const exact = exactMean(
    graded.map(({ weight, passes }) => ({ weight, passed: Number(passes.every(Boolean)), of: 1 })),
  );
  if (exact === null) return null;
  return { k: Math.max(...graded.map(({ passes }) => passes.length)), value: numberOf(exact) };
}

/** Cases that passed in some trials and failed in others. */
export function flakyCases(cases: readonly CaseTrials[]): readonly string[] {
  return cases.filter(({ passes }) => passes.includes(true) && passes.includes(false)).map(({ id }) => id);
}

export function rateByTag(
  cases: readonly CaseTrials[],
): Readonly<Record<string, { value: number; cases: number }>> {
  const pairs = cases.flatMap((one) => [...new Set(one.tags)].map((tag) => ({ tag, one })));
  const tags = [...Map.groupBy(pairs, ({ tag }) => tag)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(
    tags.flatMap(([tag, own]) => {
      const tagged = own.map(({ one }) => one);
      const rate = passRate(tagged);
      return rate === null ? [] : [[tag, { value: rate.value, cases: tagged.length }]];
    }),
  );
}

export function meanOf(passes: readonly boolean[]): number {
  return passes.filter(Boolean).length / passes.length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const logFactorials: number[] = [0];

function logFactorial(of: number): number {
  for (let next = logFactorials.length; next <= of; next += 1) {
    logFactorials.push((logFactorials[next - 1] ?? 0) + Math.log(next));
  }
  return logFactorials[of] ?? 0;
}

/** The logarithm of the binomial coefficient. */
export function logChoose(of: number, taken: number): number {
  return logFactorial(of) - logFactorial(taken) - logFactorial(of - taken);
}
