/** Runs of agents with a known ability, drawn from the ladder's own curves. */
import { estimateAbility, type LadderVerdict } from '#evals/suite/ladder/ability.ts';
import type { RatedRun } from '#evals/suite/ladder/compare-abilities.ts';
import { adaptiveLevels, casesInPart, type Part, routingLevels } from '#evals/suite/ladder/choose-levels.ts';
import {
  drawCategories,
  expectedScore,
  expectedShare,
  ladderCategories,
  ladderCategory,
  ladderLevels,
  type Level,
  type RunSize,
} from '#evals/suite/ladder/ladder.ts';
import type { Random } from '#evals/random.ts';

/** An ability for each category; real agents are better at some than at others. */
export type Profile = ReadonlyMap<string, number>;

export function evenProfile(ability: number): Profile {
  return new Map(ladderCategories.map(({ name }) => [name, ability]));
}

/** `ability`, changed at random by category with a standard deviation of about one. */
export function unevenProfile(random: Random, ability: number): Profile {
  const deviate = () => [1, 2, 3].reduce((sum) => sum + random.int(-1_000, 1_000) / 1_000, 0);
  return new Map(ladderCategories.map(({ name }) => [name, ability + deviate()]));
}

/** The score that the profile would have on infinitely many cases of all levels. */
export function trueScore(profile: Profile): number {
  return ladderCategories.reduce((sum, category) => {
    const ability = profile.get(category.name) ?? 0;
    const shares = ladderLevels.map((level) => expectedShare(ability, category, level));
    return sum + (category.weight * shares.reduce((total, share) => total + share, 0)) / shares.length;
  }, 0);
}

/** The ability whose score is `score`. */
export function abilityOfScore(score: number): number {
  let low = -20;
  let high = 20;
  while (high - low > 1e-6) {
    const middle = (low + high) / 2;
    if (expectedScore(middle) < score) low = middle;
    else high = middle;
  }
  return low;
}

export function simulateRun(random: Random, profile: Profile, runSize: RunSize): RatedRun {
  return rate(simulateVerdicts(random, profile, runSize));
}

/** Two runs whose cases count together, as with `?pool=true`. */
export function simulatePooled(random: Random, profile: Profile, runSize: RunSize): RatedRun {
  return rate([1, 2].flatMap(() => simulateVerdicts(random, profile, runSize)));
}

function rate(verdicts: readonly LadderVerdict[]): RatedRun {
  return { estimate: estimateAbility(verdicts), verdicts };
}

function simulateVerdicts(random: Random, profile: Profile, runSize: RunSize): LadderVerdict[] {
  const categories = drawCategories(random, runSize);
  const verdicts: LadderVerdict[] = [];
  const ask = (part: Part) => {
    const own = categories.slice(verdicts.length, verdicts.length + casesInPart(runSize, part));
    const levels: readonly Level[] =
      part === 0 ? routingLevels(random, own) : adaptiveLevels(random, own, verdicts);
    for (const level of levels) {
      const category = categories[verdicts.length] ?? '';
      const share = expectedShare(profile.get(category) ?? 0, ladderCategory(category), level);
      verdicts.push({ category, level, share: random.chance(share) ? 1 : 0 });
    }
  };
  ask(0);
  ask(1);
  ask(2);
  return verdicts;
}
