/** Compares two runs of a suite, case by case. */
import type { ChangeVerdict, Reach } from '../report/bars.ts';
import { logChoose, meanOf } from './statistics.ts';

/** A case that both runs have, with the same content. */
export interface PairedCase {
  readonly id: string;
  readonly before: readonly boolean[];
  readonly after: readonly boolean[];
}

export interface RunComparison {
  /** None passed before, all pass now. */
  readonly fixed: readonly string[];
  /** Passed before (in more than half of the trials), all fail now. */
  readonly broken: readonly string[];
  readonly still_failing: readonly string[];
  /** Some trials pass, and the case was not flaky before. */
  readonly flaky_now: readonly string[];
  readonly verdict: ChangeVerdict;
  /** Two-sided. The probability that chance makes a difference at least as large. */
  readonly p: number;
  /** The number of cases compared. */
  readonly cases: number;
  readonly reach: Reach;
}

const significant = 0.05;

/** @param others what is known of the cases that are not in `pairs` */
export function compareRuns(
  pairs: readonly PairedCase[],
  others: Omit<Reach, 'compared' | 'cases' | 'ungraded'> = {
    changed: [],
    added: 0,
    unasked: 0,
    gone: [],
    sample: 'same cases',
  },
): RunComparison {
  const graded = pairs.filter(({ before, after }) => before.length > 0 && after.length > 0);
  const reach = {
    compared: graded.length,
    cases: pairs.length + others.changed.length + others.added + others.unasked + others.gone.length,
    ungraded: pairs.length - graded.length,
    ...others,
  };
  const idsOf = (chosen: (pair: PairedCase) => boolean) => graded.filter(chosen).map(({ id }) => id);
  const p = pairedP(graded);
  const difference = graded.reduce((sum, { before, after }) => sum + meanOf(after) - meanOf(before), 0);
  return {
    fixed: idsOf(({ before, after }) => none(before) && after.every(Boolean)),
    broken: idsOf(({ before, after }) => hasPassed(before) && none(after)),
    still_failing: idsOf(({ before, after }) => none(before) && none(after)),
    flaky_now: idsOf(({ before, after }) => isMixed(after) && !isMixed(before)),
    verdict: verdictOf(graded.length, p, difference),
    p,
    cases: graded.length,
    reach,
  };
}

/** Whether a case passed in more than half of its trials. */
export function hasPassed(passes: readonly boolean[]): boolean {
  return meanOf(passes) > 0.5;
}

function verdictOf(compared: number, p: number, difference: number): ChangeVerdict {
  if (compared === 0) return 'not comparable';
  if (p > significant || difference === 0) return 'no clear change';
  return difference > 0 ? 'better' : 'worse';
}

function none(passes: readonly boolean[]): boolean {
  return !passes.includes(true);
}

function isMixed(passes: readonly boolean[]): boolean {
  return passes.includes(true) && passes.includes(false);
}

function pairedP(pairs: readonly PairedCase[]): number {
  const isOneTrial = pairs.every(({ before, after }) => before.length === 1 && after.length === 1);
  return isOneTrial ? mcNemarMidP(pairs) : permutationP(pairs);
}

/** McNemar's test with the mid-p value (M. W. Fagerland and others, 2013). */
function mcNemarMidP(pairs: readonly PairedCase[]): number {
  const fixed = pairs.filter(({ before, after }) => before[0] === false && after[0] === true).length;
  const broken = pairs.filter(({ before, after }) => before[0] === true && after[0] === false).length;
  const changed = fixed + broken;
  if (changed === 0) return 1;
  const fewer = Math.min(fixed, broken);
  let tail = 0;
  for (let count = 0; count <= fewer; count += 1) {
    tail += Math.exp(logChoose(changed, count) - changed * Math.LN2) * (count === fewer ? 0.5 : 1);
  }
  return Math.min(1, 2 * tail);
}

/** Beyond this many additions, the normal distribution takes the place of the exact one, which it then matches. */
const maxAdditions = 2_000_000;

/**
 * How often exchanging the trials of the two runs within each case, in every possible way, makes a difference at least
 * as large. The differences of the cases are independent, so their distributions are convolved, exactly.
 */
function permutationP(pairs: readonly PairedCase[]): number {
  const changing = pairs.filter(({ before, after }) => isMixed([...before, ...after]));
  if (changing.length === 0) return 1;
  const unit = changing.reduce((whole, { before, after }) => lcm(whole, lcm(before.length, after.length)), 1);
  const outcomes = changing.map((pair) => outcomesOf(pair, unit));
  const observed = Math.abs(
    changing.reduce((sum, { before, after }) => sum + unitsOf(after, unit) - unitsOf(before, unit), 0),
  );
  const reach = outcomes.reduce((sum, { values }) => sum + Math.max(...values.map(Math.abs)), 0);
  const additions = outcomes.reduce((sum, { values }) => sum + values.length * (2 * reach + 1), 0);
  return additions > maxAdditions ? normalP(outcomes, observed) : exactP(outcomes, observed, reach);
}

interface Outcomes {
  /** Differences in units, with their probabilities. */
  readonly values: readonly number[];
  readonly chances: readonly number[];
}

/** The passes after the exchange are hypergeometric. */
function outcomesOf({ before, after }: PairedCase, unit: number): Outcomes {
  const trials = before.length + after.length;
  const passes = [...before, ...after].filter(Boolean).length;
  const values: number[] = [];
  const chances: number[] = [];
  for (let now = Math.max(0, passes - before.length); now <= Math.min(after.length, passes); now += 1) {
    values.push((now * unit) / after.length - ((passes - now) * unit) / before.length);
    chances.push(
      Math.exp(
        logChoose(after.length, now) + logChoose(before.length, passes - now) - logChoose(trials, passes),
      ),
    );
  }
  return { values, chances };
}

function exactP(outcomes: readonly Outcomes[], observed: number, reach: number): number {
  let chances = new Float64Array(2 * reach + 1);
  chances[reach] = 1;
  for (const { values, chances: own } of outcomes) {
    const next = new Float64Array(2 * reach + 1);
    for (const [at, value] of values.entries()) {
      const chance = own[at] ?? 0;
      const from = Math.max(0, -value);
      const to = Math.min(chances.length, chances.length - value);
      for (let place = from; place < to; place += 1) {
        next[place + value] = (next[place + value] ?? 0) + (chances[place] ?? 0) * chance;
      }
    }
    chances = next;
  }
  let p = 0;
  for (const [place, chance] of chances.entries()) if (Math.abs(place - reach) >= observed) p += chance;
  return Math.min(1, p);
}

function normalP(outcomes: readonly Outcomes[], observed: number): number {
  // Every mean is 0: the exchange is symmetric in passes per trial.
  const variance = outcomes.reduce(
    (sum, { values, chances }) =>
      sum + values.reduce((own, value, at) => own + value ** 2 * (chances[at] ?? 0), 0),
    0,
  );
  return Math.min(1, 2 * upperTail((observed - 0.5) / Math.sqrt(variance)));
}

/** The standard normal probability above `value` ≥ 0 (M. Abramowitz and I. Stegun, 1964, 26.2.17; error below 1e-7). */
function upperTail(value: number): number {
  if (value <= 0) return 0.5;
  const t = 1 / (1 + 0.231_641_9 * value);
  const polynomial =
    t *
    (0.319_381_530 + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
  return (Math.exp(-(value ** 2) / 2) / Math.sqrt(2 * Math.PI)) * polynomial;
}

function unitsOf(passes: readonly boolean[], unit: number): number {
  return Math.round(meanOf(passes) * unit);
}

function lcm(one: number, other: number): number {
  let [larger, smaller] = [one, other];
  while (smaller > 0) [larger, smaller] = [smaller, larger % smaller];
  return (one / larger) * other;
}
