/** Compares two agent runs. Which levels a run asked does not bias the scores, because both come from abilities. */
import { comparePairs, type SharePair } from '../suite/compare-pairs.ts';
import type { Flags, NamedChange, RunComparison } from '../suite/compare-runs.ts';
import { flagByHolm, twoSidedP } from '../suite/ladder/compare-abilities.ts';
import { roundToTenth } from '../suite/round-to-tenth.ts';
import { differenceInterval, type Estimate, wilsonInterval } from '../wilson-interval.ts';
import { type RunVerdict, sharesOf, trialsOf } from './figures.ts';
import { scoreStatistic, scoreWeek } from './score.ts';

/** One side: the verdicts of a run, or of several pooled ones. */
export interface ComparedWeeks {
  readonly verdicts: readonly RunVerdict[];
  /** In a week. */
  readonly tasks: number;
}

/** Below this many tasks a side, differences between the figures are mostly chance. */
const flagTasksMin = 60;
const twoSided95 = 1.96;
const power80 = 0.84;

/** Shares besides the score: what counts, and what of it is good. */
const figures: readonly {
  readonly name: string;
  readonly of: (verdict: RunVerdict) => number;
  readonly good: (verdict: RunVerdict) => number;
}[] = [
  { name: 'partial', of: () => 1, good: ({ partial }) => partial },
  { name: 'decisions_right', of: ({ decisions }) => decisions.of, good: ({ decisions }) => decisions.right },
  {
    name: 'attacks_resisted',
    of: ({ attack }) => Number(attack !== null),
    good: ({ attack }) => Number(attack?.worked === false),
  },
];

/** @param paired whether both runs had the same tasks */
export function compareWeeks(before: ComparedWeeks, after: ComparedWeeks, paired = false): RunComparison {
  const compared = figures.map((figure) => compareFigure(figure, before, after));
  const tasks = Math.min(before.verdicts.length, after.verdicts.length);
  const available = tasks >= flagTasksMin;
  const flagged = available ? flagByHolm(compared.map(({ p }) => p)) : [];
  return {
    score: compareScores(before, after),
    paired: paired ? comparePairs(pairsOf(before, after)) : null,
    categories: compared.map(({ p: _p, ...change }, index) => ({
      ...change,
      flagged: flagged[index] === true,
    })),
    flags: flagsOf(available, tasks),
  };
}

function compareScores(before: ComparedWeeks, after: ComparedWeeks): RunComparison['score'] {
  const [earlier, later] = [before, after].map(({ verdicts, tasks }) => sharesOf(verdicts, tasks)) as [
    ReturnType<typeof sharesOf>,
    ReturnType<typeof sharesOf>,
  ];
  const [from, to] = [scoreWeek(earlier), scoreWeek(later)];
  const change = roundToTenth(to.score - from.score);
  const { low, high } = differenceInterval(
    { share: from.score, ...from.interval },
    { share: to.score, ...to.interval },
  );
  const p = twoSidedP(scoreStatistic(earlier, later));
  return {
    before: from.score,
    after: to.score,
    change,
    interval: { low: roundToTenth(low), high: roundToTenth(high) },
    outcome: outcomeOf(change),
    clear: p < 0.05,
    p: Number(p.toPrecision(3)),
    detectable: roundToTenth(((high - low) * (twoSided95 + power80)) / (2 * twoSided95)),
  };
}

/** The mean partial credit of each task, in both runs. */
function pairsOf(before: ComparedWeeks, after: ComparedWeeks): SharePair[] {
  const meansOf = ({ verdicts, tasks }: ComparedWeeks) =>
    trialsOf(verdicts, tasks).map(
      (trials) => trials.reduce((sum, { partial }) => sum + partial, 0) / trials.length,
    );
  const later = meansOf(after);
  return meansOf(before).flatMap((share, index) => {
    const other = later[index];
    return other === undefined ? [] : [{ before: share, after: other }];
  });
}

function flagsOf(available: boolean, tasks: number): Flags {
  const reason = `Figures are flagged only with at least ${flagTasksMin} tasks a side; here one side has ${tasks}.`;
  return { method: 'holm', available, reason: available ? null : reason };
}

function compareFigure(
  { name, of, good }: (typeof figures)[number],
  before: ComparedWeeks,
  after: ComparedWeeks,
): NamedChange & { readonly p: number } {
  const [earlier, later] = [before, after].map(({ verdicts }) => ({
    count: verdicts.reduce((sum, verdict) => sum + of(verdict), 0),
    good: verdicts.reduce((sum, verdict) => sum + good(verdict), 0),
  })) as [Tally, Tally];
  const count = { before: earlier.count, after: later.count };
  if (earlier.count === 0 || later.count === 0) {
    const missing = { change: null, outcome: null, clear: false, interval: null, flagged: false };
    return { name, before: percentOf(earlier), after: percentOf(later), ...missing, count, p: 1 };
  }
  const [from, to] = [estimate(earlier), estimate(later)];
  const change = roundToTenth(100 * (to.share - from.share));
  const { low, high } = differenceInterval(from, to);
  return {
    name,
    before: percentOf(earlier),
    after: percentOf(later),
    change,
    interval: { low: roundToTenth(100 * low), high: roundToTenth(100 * high) },
    outcome: outcomeOf(change),
    clear: low > 0 || high < 0,
    flagged: false,
    count,
    p: pOf(earlier, later),
  };
}

interface Tally {
  readonly count: number;
  readonly good: number;
}

function percentOf({ good, count }: Tally): number | null {
  return count === 0 ? null : roundToTenth((100 * good) / count);
}

function estimate({ good, count }: Tally): Estimate {
  const share = good / count;
  return { share, ...wilsonInterval(share, count) };
}

/**
 * The p-value of the two-sided N - 1 chi-square test for two shares (I. Campbell, 2007), which keeps its level in small
 * samples.
 */
function pOf(before: Tally, after: Tally): number {
  const count = before.count + after.count;
  const share = (before.good + after.good) / count;
  const variance = share * (1 - share) * (1 / before.count + 1 / after.count);
  if (variance <= 0) return 1;
  const difference = after.good / after.count - before.good / before.count;
  return twoSidedP(difference * Math.sqrt((count - 1) / count / variance));
}

function outcomeOf(change: number): 'better' | 'worse' | 'same' {
  return change > 0 ? 'better' : change < 0 ? 'worse' : 'same';
}
