/**
 * Estimates an agent's ability from its graded cases, by maximum likelihood. The interval is the set of
 * abilities that a likelihood-ratio test at 5% does not reject. Which levels a run asked does not bias the estimate,
 * because the levels depend only on earlier verdicts.
 */
import {
  expectedScore,
  expectedShare,
  type LadderCategory,
  ladderCategory,
  type Level,
  slope,
} from './ladder.ts';

export interface LadderVerdict {
  readonly category: string;
  readonly level: Level;
  /** 0 to 1. */
  readonly share: number;
}

/** The level at which an agent breaks down, from 0 to 9. */
export interface LevelEstimate {
  readonly value: number;
  readonly se: number;
  /** Whether the agent broke down nowhere, so that its level is only known to be at least `value`. */
  readonly top: boolean;
}

export function describeLevel({ value, se, top }: LevelEstimate): string {
  return top ? `level ≥ ${value.toFixed(1)} (top)` : `level ${value.toFixed(1)} ± ${se.toFixed(1)}`;
}

export interface AbilityEstimate {
  readonly ability: number;
  /** Standard error of the ability. */
  readonly se: number;
  /** The 95% interval of the ability. It also holds where every case passed or failed. */
  readonly range: { readonly low: number; readonly high: number };
  /** 0 to 100. */
  readonly score: number;
  /** Standard error of the score. */
  readonly scoreSe: number;
  /** The 95% interval of the score. */
  readonly interval: { readonly low: number; readonly high: number };
  readonly level: LevelEstimate;
}

/** Abilities beyond these mean a score of 0 and 100. */
const abilityMax = 40;
/** The number of bisections; the remaining error is far below the precision of a score. */
const bisections = 30;
/** Half of the 95% point of chi-square with one degree of freedom. */
const likelihoodDrop = 1.92;
/** Abilities per level: the mean spacing of the ladder. */
const abilityPerLevel = 1.5;
const levelMax = 9;

/**
 * @param verdicts at least one
 * @param categoryOf finds a category by its name; those of the suite's ladder by default
 */
export function estimateAbility(
  verdicts: readonly LadderVerdict[],
  categoryOf: (name: string) => LadderCategory = ladderCategory,
): AbilityEstimate {
  if (verdicts.length === 0) throw new RangeError('There is no verdict to estimate an ability from.');
  const groups = groupVerdicts(verdicts, categoryOf);
  const ability = mostLikelyAbility(groups);
  const limit = logLikelihood(ability, groups) - likelihoodDrop;
  const low = bisect(-abilityMax, ability, (at) => logLikelihood(at, groups) < limit);
  const high = bisect(ability, abilityMax, (at) => logLikelihood(at, groups) >= limit);
  const se = 1 / Math.sqrt(Math.max(information(ability, groups), Number.EPSILON));
  const interval = { low: expectedScore(low), high: expectedScore(high) };
  return {
    ability,
    se,
    range: { low, high },
    score: expectedScore(ability),
    scoreSe: (interval.high - interval.low) / (2 * 1.96),
    interval,
    level: levelOf(ability, { low, high }),
  };
}

function levelOf(ability: number, { low, high }: AbilityEstimate['range']): LevelEstimate {
  const top = levelAt(ability) === levelMax;
  const se = Math.min(levelMax, (high - low) / (2 * 1.96 * abilityPerLevel));
  return { value: levelAt(top ? low : ability), se, top };
}

/** The level at which an agent of this ability breaks down. */
export function levelAt(ability: number): number {
  return Math.min(levelMax, Math.max(0, 3 + ability / abilityPerLevel));
}

/**
 * The score statistic (Rao 1948) of two runs: a standard normal deviate if the agents are equal, positive if `after` is
 * better. Unlike the difference of two estimates, it is meaningful even if every case passed or failed.
 */
export function scoreStatistic(
  before: readonly LadderVerdict[],
  after: readonly LadderVerdict[],
  categoryOf: (name: string) => LadderCategory = ladderCategory,
): number {
  const [first, second] = [groupVerdicts(before, categoryOf), groupVerdicts(after, categoryOf)];
  const ability = mostLikelyAbility([...first, ...second]);
  const [one, other] = [information(ability, first), information(ability, second)];
  const variance = (one * other) / (one + other);
  // If all cases of both runs passed, or all failed, nothing distinguishes the runs.
  if (!(variance > Number.EPSILON)) return 0;
  return (slope * slopeOfLikelihood(ability, second)) / Math.sqrt(variance);
}

function mostLikelyAbility(groups: readonly Group[]): number {
  return bisect(-abilityMax, abilityMax, (at) => slopeOfLikelihood(at, groups) > 0);
}

interface Group {
  readonly category: LadderCategory;
  readonly level: Level;
  count: number;
  share: number;
}

function groupVerdicts(
  verdicts: readonly LadderVerdict[],
  categoryOf: (name: string) => LadderCategory,
): Group[] {
  const groups = new Map<string, Group>();
  for (const { category, level, share } of verdicts) {
    const key = `${category}/${level}`;
    const group = groups.get(key) ?? { category: categoryOf(category), level, count: 0, share: 0 };
    group.count += 1;
    group.share += share;
    groups.set(key, group);
  }
  return [...groups.values()];
}

function logLikelihood(ability: number, groups: readonly Group[]): number {
  let sum = 0;
  for (const { category, level, count, share } of groups) {
    const expected = expectedShare(ability, category, level);
    // Logarithms of 0 do not matter: they are multiplied by a share of 0.
    if (share > 0) sum += share * Math.log(expected);
    if (share < count) sum += (count - share) * Math.log1p(-expected);
  }
  return sum;
}

/** The derivative of the log-likelihood. It falls with ability, so the maximum is where it crosses 0. */
function slopeOfLikelihood(ability: number, groups: readonly Group[]): number {
  return groups.reduce((sum, { category, level, count, share }) => {
    return sum + share - count * expectedShare(ability, category, level);
  }, 0);
}

/** The point between `low` and `high` up to which `isBelow` holds. */
function bisect(low: number, high: number, isBelow: (at: number) => boolean): number {
  let [from, to] = [low, high];
  for (let count = 0; count < bisections; count += 1) {
    const middle = (from + to) / 2;
    if (isBelow(middle)) from = middle;
    else to = middle;
  }
  return (from + to) / 2;
}

function information(ability: number, groups: readonly Group[]): number {
  return groups.reduce((sum, { category, level, count }) => {
    const expected = expectedShare(ability, category, level);
    return sum + count * slope ** 2 * expected * (1 - expected);
  }, 0);
}
