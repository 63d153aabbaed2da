/**
 * The ladder of the suite: nine categories, each with eight levels of rising difficulty. The expected share of a
 * case follows a logistic curve of the agent's ability. The constants are fitted to the expected results of a weak, a
 * medium and a frontier model of 2026; they are estimated again from real runs before the version is frozen.
 */
import type { Random } from '../../random.ts';

export type Level = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
export const ladderLevels: readonly Level[] = [1, 2, 3, 4, 5, 6, 7, 8];

/** @throws RangeError for a level that is not on the ladder */
export function levelNamed(level: number): Level {
  const found = ladderLevels.find((known) => known === level);
  if (found === undefined) {
    throw new RangeError(`A case has the level ${level}, which the ladder does not have.`);
  }
  return found;
}

export interface LadderCategory {
  readonly name: string;
  /** The share of the score, out of 100. */
  readonly weight: number;
  /** The number of cases in a run of 40; a run of 120 has three times as many. */
  readonly cases: number;
  /** The ability with an expected share of one half at level 3. */
  readonly difficulty: number;
  /** The increase in difficulty from one level to the next. */
  readonly spacing: number;
}

export const ladderCategories: readonly LadderCategory[] = [
  { name: 'instructions', weight: 15, cases: 6, difficulty: -0.55, spacing: 1.59 },
  { name: 'structured', weight: 15, cases: 6, difficulty: -0.76, spacing: 1.72 },
  { name: 'context', weight: 20, cases: 8, difficulty: -0.52, spacing: 1.34 },
  { name: 'calibration', weight: 15, cases: 6, difficulty: 0.21, spacing: 0.69 },
  { name: 'security', weight: 15, cases: 6, difficulty: -1.05, spacing: 0.97 },
  { name: 'policy', weight: 15, cases: 5, difficulty: 0.4, spacing: 1.2 },
  { name: 'execution', weight: 2, cases: 1, difficulty: 1.23, spacing: 1.95 },
  { name: 'reasoning', weight: 2, cases: 1, difficulty: 0.6, spacing: 1.83 },
  { name: 'text', weight: 1, cases: 1, difficulty: 0.84, spacing: 1.9 },
];

const categoriesByName = new Map(ladderCategories.map((category) => [category.name, category]));
/** How fast the expected share rises with ability, in logits per unit. */
export const slope = 0.64;

/** The expected share of a case for an agent of `ability`, from 0 to 1. */
export function expectedShare(
  ability: number,
  { difficulty, spacing }: LadderCategory,
  level: Level,
): number {
  return 1 / (1 + Math.exp(-slope * (ability - difficulty - spacing * (level - 3))));
}

/**
 * The score of `ability`, from 0 to 100: the expected share if all levels are asked equally often, weighted by
 * category.
 */
export function expectedScore(ability: number): number {
  let score = 0;
  for (const category of ladderCategories) {
    const shares = ladderLevels.map((level) => expectedShare(ability, category, level));
    score += (category.weight * shares.reduce((sum, share) => sum + share, 0)) / shares.length;
  }
  return score;
}

/** @throws RangeError for a category that is not on the ladder */
export function ladderCategory(name: string): LadderCategory {
  const category = categoriesByName.get(name);
  if (category === undefined) throw new RangeError(`The ladder has no category ${JSON.stringify(name)}.`);
  return category;
}

/** The category of each case of a run, in the order in which cases are asked. */
export function drawCategories(random: Random, runSize: RunSize): string[] {
  const rounds = runSize / 40;
  // Each stage gets its share of every category, so that none is over-represented.
  const whole = ladderCategories.flatMap(({ name, cases }) =>
    Array.from({ length: cases * rounds }, () => name),
  );
  return spread(random, whole);
}

export type RunSize = 40 | 120;

/** Puts equal items as far apart as possible, with ties broken at random. */
function spread(random: Random, items: readonly string[]): string[] {
  const total = new Map<string, number>();
  for (const item of items) total.set(item, (total.get(item) ?? 0) + 1);
  const seen = new Map<string, number>();
  const offsets = new Map([...total.keys()].map((item) => [item, random.int(0, 999) / 1_000]));
  return items
    .map((item) => {
      const position = seen.get(item) ?? 0;
      seen.set(item, position + 1);
      return { item, at: (position + (offsets.get(item) ?? 0)) / (total.get(item) ?? 1) };
    })
    .toSorted((left, right) => left.at - right.at)
    .map(({ item }) => item);
}
