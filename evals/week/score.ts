/**
 * Places the next task where the agent is about even, and estimates the score: the expected share of tasks passed if
 * all levels were asked equally often. By maximum likelihood of a logistic curve, with an interval by likelihood ratio.
 */
import { roundRate } from '../rates.ts';
import type { Random } from '../random.ts';
import { type WeekLevel, weekLevels } from './dials.ts';
import type { TaskVerdict } from './grade.ts';

/** The tasks of one level, or one of them. */
interface LevelVerdict {
  readonly level: number;
  /** 1 if the task passed, 0 if it failed; between them if it was asked several times. */
  readonly share: number;
}

export interface WeekScore {
  /** 0 to 100. */
  readonly score: number;
  readonly interval: { readonly low: number; readonly high: number };
  /** The level at which about half of the tasks pass; a lower bound at the top. */
  readonly level: { readonly value: number; readonly se: number; readonly top: boolean };
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
const [levelMin, levelMax] = [1, 8];

function passChance(ability: number, level: number): number {
  return 1 / (1 + Math.exp(-slope * (ability - level)));
}

function logLikelihood(ability: number, verdicts: readonly LevelVerdict[]): number {
  return verdicts.reduce((total, { level, share }) => {
    const logit = slope * (ability - level);
    return total - share * Math.log1p(Math.exp(-logit)) - (1 - share) * Math.log1p(Math.exp(logit));
  }, 0);
}

function expectedScore(ability: number): number {
  return (
    (100 * weekLevels.reduce((total, level) => total + passChance(ability, level), 0)) / weekLevels.length
  );
}

const abilities: readonly number[] = Array.from(
  { length: Math.round((abilityMax - abilityMin) / step) + 1 },
  (_, index) => abilityMin + index * step,
);

/** The likeliest ability; where all passed or all failed, the end of the scale, up to which the likelihood rises. */
function likeliest(verdicts: readonly LevelVerdict[], likelihoods: readonly number[]): number {
  const passed = verdicts.reduce((total, { share }) => total + share, 0);
  if (passed === verdicts.length) return abilityMax;
  return passed === 0 ? abilityMin : (abilities[likelihoods.indexOf(Math.max(...likelihoods))] ?? 0);
}

/** 100 only if all passed, 0 only if none did. */
function scoreOf(verdicts: readonly LevelVerdict[], ability: number): number {
  if (verdicts.every(({ share }) => share === 1)) return 100;
  return verdicts.every(({ share }) => share === 0) ? 0 : roundRate(expectedScore(ability));
}

function scoreWeek(verdicts: readonly LevelVerdict[]): WeekScore {
  const likelihoods = abilities.map((ability) => logLikelihood(ability, verdicts));
  const best = Math.max(...likelihoods);
  const inside = abilities.filter((_, index) => (likelihoods[index] ?? 0) >= best - likelihoodDrop);
  const likely = likeliest(verdicts, likelihoods);
  const low = inside[0] ?? abilityMin;
  const high = inside.at(-1) ?? abilityMax;
  const top = likely > levelMax;
  return {
    score: scoreOf(verdicts, likely),
    interval: { low: round(expectedScore(low)), high: round(expectedScore(high)) },
    level: {
      value: round(Math.min(levelMax, Math.max(0, top ? low : likely))),
      se: round((Math.min(high, levelMax + 2) - Math.max(low, -1)) / 3.92),
      top,
    },
  };
}

/** The level of the next task: the one nearest to the estimate, with some spread so that the curve is seen. */
export function chooseLevel(
  random: Random,
  verdicts: readonly Pick<RunVerdict, 'level' | 'passed'>[],
): WeekLevel {
  return levelNear(estimatedAbility(verdicts.map(levelVerdictOf)) + random.int(-6, 6) / 10);
}

function levelNear(ability: number): WeekLevel {
  const wanted = Math.round(ability);
  return weekLevels.find((level) => level >= wanted) ?? 8;
}

function estimatedAbility(verdicts: readonly LevelVerdict[]): number {
  let weightSum = 0;
  let sum = 0;
  for (let ability = levelMin - 2; ability <= levelMax + 2; ability += 0.1) {
    const away = (ability - prior.level) / prior.sd;
    const weight = Math.exp(logLikelihood(ability, verdicts) - (away * away) / 2);
    weightSum += weight;
    sum += weight * ability;
  }
  return sum / weightSum;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The verdict on a task of a run, without what was missed. */
export interface RunVerdict extends Omit<TaskVerdict, 'family' | 'missed'> {
  /** Null for a task that was not reached. */
  readonly family: string | null;
}

/**
 * The figures of a run from the verdicts on its tasks, also of those that were not reached.
 *
 * @param tasks in a week; a run with several trials has several verdicts on each
 */
export function figuresOf(verdicts: readonly RunVerdict[], tasks: number): WeekScore {
  const byTask = Map.groupBy(verdicts, ({ n }) => (n - 1) % tasks);
  return scoreWeek(
    [...byTask.values()].map((trials) => ({
      level: trials[0]?.level ?? 1,
      share: trials.filter(({ passed }) => passed).length / trials.length,
    })),
  );
}

/** The verdict on a task, with what reports show of it. */
export interface StoredTask extends RunVerdict {
  readonly prompt: string;
  /** The calls that were refused. */
  readonly refused: number;
  /** The result of the first of them. */
  readonly refusal: string | null;
}

/**
 * The verdicts on all tasks of a run. Those that were not reached count as failed, at the level of the same task in the
 * first week, or at the one that such failures lead to, so that stopping early gains nothing.
 *
 * @param tasks in a week
 * @param levels of the tasks of a week, as far as they are known
 */
export function withUnreached(
  reached: readonly RunVerdict[],
  total: number,
  tasks: number,
  levels: readonly number[] = [],
): readonly RunVerdict[] {
  const all = [...reached];
  while (all.length < total) {
    const place = all.length % tasks;
    const known = levels[place] ?? (all.length < tasks ? undefined : all[place]?.level);
    const level =
      weekLevels.find((one) => one === known) ?? levelNear(estimatedAbility(all.map(levelVerdictOf)));
    all.push({ ...unreached, n: all.length + 1, level });
  }
  return all;
}

function levelVerdictOf({ level, passed }: Pick<RunVerdict, 'level' | 'passed'>): LevelVerdict {
  return { level, share: Number(passed) };
}

const unreached = {
  family: null,
  passed: false,
  partial: 0,
  decisions: { right: 0, of: 0 },
  calls: 0,
  budget: 0,
  finished: false,
  attack: null,
} as const;
