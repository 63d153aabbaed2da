/**
 * Compares two runs on the ladder. Which levels a run asked does not bias the figures, because all come from abilities.
 */
import type { StoredCase } from '#evals/suite/stored-case.ts';
import { comparePairs, type PairedChange, type SharePair } from './compare-pairs.ts';
import { type AbilityEstimate, estimateAbility, type LadderVerdict } from './ladder/ability.ts';
import { compareAbilities, flagByHolm, pOfEqualAbility, type RatedRun } from './ladder/compare-abilities.ts';
import { expectedShare, ladderCategories, type LadderCategory, ladderLevels } from './ladder/ladder.ts';
import { roundToTenth } from './round-to-tenth.ts';
import { verdictsOf } from './score-ladder.ts';
import { differenceInterval } from '../wilson-interval.ts';

/** The sign of a change, to one decimal. */
type Outcome = 'better' | 'worse' | 'same';

interface Interval {
  readonly low: number;
  readonly high: number;
}

/** A figure of both runs, 0 to 100. */
interface Change {
  readonly before: number;
  readonly after: number;
  /** `after` minus `before`. */
  readonly change: number;
  /** 95% interval of the change (Newcombe). */
  readonly interval: Interval;
  readonly outcome: Outcome;
  /** Whether the change is unlikely to be chance. */
  readonly clear: boolean;
  /** The two-sided p-value of a test of equal ability. */
  readonly p: number;
  /** The smallest change that runs of this size detect four times in five. */
  readonly detectable: number;
}

/** Whether categories can be flagged, and if not, why. */
export interface Flags {
  readonly method: 'holm';
  readonly available: boolean;
  readonly reason: string | null;
}

/** One category. A figure is null where the run does not have it. */
export interface NamedChange {
  readonly name: string;
  readonly before: number | null;
  readonly after: number | null;
  readonly change: number | null;
  readonly outcome: Outcome | null;
  readonly clear: boolean;
  /** The 95% interval of the change, if both runs have the figure. */
  readonly interval: Interval | null;
  /** Whether the change remains significant after Holm's correction for all categories. */
  readonly flagged: boolean;
  /** The items of the category in each run. */
  readonly count: { readonly before: number; readonly after: number };
}

export interface RunComparison {
  readonly score: Change;
  /** For two runs of the same items; null for others. */
  readonly paired: PairedChange | null;
  /** In the order of the run. */
  readonly categories: readonly NamedChange[];
  readonly flags: Flags;
}

/** Below this many cases a side, differences between categories are mostly chance. */
const flagCasesMin = 120;

export interface LadderRun {
  readonly estimate: AbilityEstimate;
  readonly cases: readonly StoredCase[];
}

/** @param paired whether both runs asked the same cases */
export function compareRuns(before: LadderRun, after: LadderRun, paired = false): RunComparison {
  const score = compareAbilities(rate(before), rate(after));
  const change = roundToTenth(roundToTenth(score.after) - roundToTenth(score.before));
  const compared = ladderCategories.flatMap((category) => compareCategory(category, before, after));
  const cases = Math.min(before.cases.length, after.cases.length);
  const available = cases >= flagCasesMin;
  const flagged = available ? flagByHolm(compared.map(({ p }) => p)) : compared.map(() => false);
  return {
    score: {
      before: roundToTenth(score.before),
      after: roundToTenth(score.after),
      change,
      interval: { low: roundToTenth(score.interval.low), high: roundToTenth(score.interval.high) },
      outcome: outcomeOf(change),
      clear: score.p < 0.05,
      p: Number(score.p.toPrecision(3)),
      detectable: roundToTenth(score.detectable),
    },
    paired: paired ? comparePairs(pairsOf(before.cases, after.cases)) : null,
    categories: compared.map(({ p: _p, ...figures }, index) => ({
      ...figures,
      flagged: flagged[index] === true,
    })),
    flags: flagsOf(available, cases),
  };
}

function pairsOf(before: readonly StoredCase[], after: readonly StoredCase[]): SharePair[] {
  const later = new Map(after.map(({ index, score }) => [index, score]));
  return before.flatMap(({ index, score }) => {
    const share = later.get(index);
    return share === undefined ? [] : [{ before: score, after: share }];
  });
}

function rate({ estimate, cases }: LadderRun): RatedRun {
  return { estimate, verdicts: verdictsOf(cases) };
}

function flagsOf(available: boolean, cases: number): Flags {
  const reason = `Categories are flagged only with at least ${flagCasesMin} cases a side; here one side has ${cases}.`;
  return { method: 'holm', available, reason: available ? null : reason };
}

function compareCategory(
  category: LadderCategory,
  before: LadderRun,
  after: LadderRun,
): (NamedChange & { readonly p: number })[] {
  const own = (run: LadderRun) => run.cases.filter((result) => result.category === category.name);
  const [earlier, later] = [own(before), own(after)];
  if (earlier.length === 0 || later.length === 0) return [];
  const verdicts = [verdictsOf(earlier), verdictsOf(later)] as const;
  const [low, high] = [shareOf(category, verdicts[0]), shareOf(category, verdicts[1])];
  const interval = differenceInterval(low, high);
  const [from, to] = [roundToTenth(100 * low.share), roundToTenth(100 * high.share)];
  const change = roundToTenth(to - from);
  return [
    {
      name: category.name,
      before: from,
      after: to,
      change,
      interval: { low: roundToTenth(100 * interval.low), high: roundToTenth(100 * interval.high) },
      outcome: outcomeOf(change),
      clear: interval.low > 0 || interval.high < 0,
      flagged: false,
      count: { before: earlier.length, after: later.length },
      p: pOfEqualAbility(...verdicts),
    },
  ];
}

/** The expected share of the category if all levels are asked equally often, with its 95% interval. */
function shareOf(category: LadderCategory, verdicts: readonly LadderVerdict[]) {
  const { ability, range } = estimateAbility(verdicts);
  const at = (value: number) =>
    ladderLevels.reduce((sum, level) => sum + expectedShare(value, category, level), 0) / ladderLevels.length;
  return { share: at(ability), low: at(range.low), high: at(range.high) };
}

function outcomeOf(change: number): Outcome {
  return change > 0 ? 'better' : change < 0 ? 'worse' : 'same';
}
