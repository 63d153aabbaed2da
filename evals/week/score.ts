/**
 * Places the next task where the agent is about even, and estimates the score: the expected share of tasks passed if
 * all levels were asked equally often. By maximum likelihood of a logistic curve, with an interval by likelihood ratio.
 */
import type { Random } from '../suite/random.ts';
import { type WeekLevel, weekLevels } from './dials.ts';

export interface LevelVerdict {
  readonly level: number;
  readonly passed: boolean;
}

export interface WeekScore {
  /** 0 to 100. */
  readonly score: number;
  readonly interval: { readonly low: number; readonly high: number };
  /** The level at which about half of the tasks pass; a lower bound at the top. */
  readonly level: { readonly value: number; readonly se: number; readonly top: boolean };
  readonly passed: { readonly n: number; readonly of: number };
}

/** Logits for each level. */
const slope = 1.1;
const abilityMin = -20;
const abilityMax = 30;
const step = 0.05;
/** Half of the 95% point of chi-square with one degree of freedom. */
const likelihoodDrop = 1.92;
/** Where an agent is assumed to be before its first task, and how firmly, as a standard deviation in levels. */
const prior = { level: 4, sd: 3 } as const;
const levelMin = weekLevels[0] ?? 1;
const levelMax = weekLevels.at(-1) ?? 8;

export function passChance(ability: number, level: number): number {
  return 1 / (1 + Math.exp(-slope * (ability - level)));
}

function logLikelihood(ability: number, verdicts: readonly LevelVerdict[]): number {
  return verdicts.reduce((total, { level, passed }) => {
    const logit = slope * (ability - level) * (passed ? 1 : -1);
    return total - Math.log1p(Math.exp(-logit));
  }, 0);
}

function expectedScore(ability: number): number {
  return (
    (100 * weekLevels.reduce((total, level) => total + passChance(ability, level), 0)) / weekLevels.length
  );
}

/** @param verdicts of the tasks of a run, also of those that were not reached */
export function scoreWeek(verdicts: readonly LevelVerdict[]): WeekScore {
  const abilities = Array.from(
    { length: Math.round((abilityMax - abilityMin) / step) + 1 },
    (_, index) => abilityMin + index * step,
  );
  const passed = verdicts.filter((verdict) => verdict.passed).length;
  const likelihoods = abilities.map((ability) => logLikelihood(ability, verdicts));
  const best = Math.max(...likelihoods);
  const inside = abilities.filter((_, index) => (likelihoods[index] ?? 0) >= best - likelihoodDrop);
  // Where all passed or all failed, the likelihood rises up to the end of the scale.
  const isAll = passed === verdicts.length;
  const likely = isAll ? abilityMax : passed === 0 ? abilityMin : (abilities[likelihoods.indexOf(best)] ?? 0);
  const low = inside[0] ?? abilityMin;
  const high = inside.at(-1) ?? abilityMax;
  const top = isAll || likely > levelMax;
  return {
    score: round(expectedScore(likely)),
    interval: { low: round(expectedScore(low)), high: round(expectedScore(high)) },
    level: {
      value: round(Math.min(levelMax, Math.max(0, top ? low : likely))),
      se: round((Math.min(high, levelMax + 2) - Math.max(low, -1)) / 3.92),
      top,
    },
    passed: { n: passed, of: verdicts.length },
  };
}

/** The level of the next task: the one nearest to the estimate, with some spread so that the curve is seen. */
export function chooseLevel(random: Random, verdicts: readonly LevelVerdict[]): WeekLevel {
  let weightSum = 0;
  let sum = 0;
  for (let ability = levelMin - 2; ability <= levelMax + 2; ability += 0.1) {
    const away = (ability - prior.level) / prior.sd;
    const weight = Math.exp(logLikelihood(ability, verdicts) - (away * away) / 2);
    weightSum += weight;
    sum += weight * ability;
  }
  const wanted = Math.round(sum / weightSum + random.int(-6, 6) / 10);
  return weekLevels.find((level) => level >= wanted) ?? 8;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
