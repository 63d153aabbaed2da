/**
 * Chooses the levels of a run's cases: a first stage with all levels in equal parts, then two batches around the
 * ability estimated so far. The choice depends only on the seed, the categories and earlier verdicts, so a run can be
 * reproduced from them. Levels are assigned to cases so that the verdicts are most informative about the ability.
 */
import type { Random } from '../../random.ts';
import { estimateAbility, type LadderVerdict, levelAt } from './ability.ts';
import { expectedShare, ladderCategories, ladderLevels, type Level, type RunSize } from './ladder.ts';

/** The number of cases in the first stage and in the two batches of the second, in a run of 40. */
const partsOfForty = [16, 12, 12] as const;
export type Part = 0 | 1 | 2;

export function casesInPart(runSize: RunSize, part: Part): number {
  return (partsOfForty[part] * runSize) / 40;
}

/** The abilities assumed before the first verdict, for scores from about 10 to 95. */
const possibleAbilities = [-2, -1, 0, 1, 2, 3, 4, 5, 6, 7];

/** @param categories of the cases of the first stage, in order; a multiple of eight */
export function routingLevels(random: Random, categories: readonly string[]): Level[] {
  const rounds = categories.length / ladderLevels.length;
  const levels = ladderLevels.flatMap((level) => Array.from({ length: rounds }, () => level));
  return assignLevels(random, categories, levels, possibleAbilities);
}

/**
 * Two thirds of the cases at the level nearest the estimate, one third at the next one on the estimate's side.
 *
 * @param categories of the cases of the batch, in order
 */
export function adaptiveLevels(
  random: Random,
  categories: readonly string[],
  verdicts: readonly LadderVerdict[],
): Level[] {
  const { ability } = estimateAbility(verdicts);
  const near = nearestLevel(levelAt(ability));
  const next = nextLevel(near, levelAt(ability));
  const nearCount = Math.round((2 * categories.length) / 3);
  const levels = categories.map((_, index) => (index < nearCount ? near : next));
  return assignLevels(random, categories, levels, [ability]);
}

function nearestLevel(value: number): Level {
  return ladderLevels.reduce((near, level) =>
    Math.abs(level - value) < Math.abs(near - value) ? level : near,
  );
}

function nextLevel(near: Level, value: number): Level {
  const above = ladderLevels.find((level) => level === near + 1);
  const below = ladderLevels.find((level) => level === near - 1);
  return (value > near ? (above ?? below) : (below ?? above)) ?? near;
}

const passesMax = 3;
/** Smaller gains are rounding. */
const gainMin = 1e-9;

/**
 * Puts the levels in random order, then swaps those of two cases wherever that adds information about the abilities: a
 * level is much harder in some categories than in others.
 */
function assignLevels(
  random: Random,
  categories: readonly string[],
  levels: readonly Level[],
  abilities: readonly number[],
): Level[] {
  const assigned = random.shuffle(levels);
  const informationOf = tableOfInformation(abilities);
  const rows = categories.map((category) => informationOf.get(category) ?? []);
  const at = (place: number, levelOf: number) => rows[place]?.[assigned[levelOf] ?? 0] ?? 0;
  for (let pass = 0, changed = true; changed && pass < passesMax; pass += 1) {
    changed = false;
    for (let one = 0; one < assigned.length; one += 1) {
      for (let other = one + 1; other < assigned.length; other += 1) {
        const gain = at(one, other) + at(other, one) - at(one, one) - at(other, other);
        if (gain <= gainMin) continue;
        // Both indexes are inside the list.
        [assigned[one], assigned[other]] = [assigned[other] as Level, assigned[one] as Level];
        changed = true;
      }
    }
  }
  return assigned;
}

/** By category, then by level, up to a factor. A verdict is most informative where pass and fail are equally likely. */
function tableOfInformation(abilities: readonly number[]): ReadonlyMap<string, readonly number[]> {
  return new Map(
    ladderCategories.map((category) => {
      const row: number[] = [];
      for (const level of ladderLevels) {
        const shares = abilities.map((ability) => expectedShare(ability, category, level));
        row[level] = shares.reduce((sum, share) => sum + share * (1 - share), 0);
      }
      return [category.name, row] as const;
    }),
  );
}
