/**
 * Chooses the levels of a run's cases: a first stage with all levels in equal parts, then two batches around the ability
 * estimated so far. The choice depends on the seed and on earlier verdicts only, so a run can be made again from both.
 */
import type { Random } from '../random.ts';
import { estimateAbility, type LadderVerdict } from './ability.ts';
import { ladderLevels, type Level, type RunSize } from './ladder.ts';

/** Cases of the first stage and of the two batches of the second, in a run of 40. */
const partsOfForty = [15, 13, 12] as const;
export type Part = 0 | 1 | 2;

export function casesInPart(runSize: RunSize, part: Part): number {
  return (partsOfForty[part] * runSize) / 40;
}

/** The levels of the first stage, in random order. */
export function routingLevels(random: Random, runSize: RunSize): Level[] {
  const rounds = casesInPart(runSize, 0) / ladderLevels.length;
  return random.shuffle(ladderLevels.flatMap((level) => Array.from({ length: rounds }, () => level)));
}

/** The levels of a batch: two thirds at the level nearest the estimate, one third at the next one on the estimate's side. */
export function adaptiveLevels(
  random: Random,
  runSize: RunSize,
  part: 1 | 2,
  verdicts: readonly LadderVerdict[],
): Level[] {
  const { value } = estimateAbility(verdicts).level;
  const near = nearestLevel(value);
  const next = nextLevel(near, value);
  const count = casesInPart(runSize, part);
  const nearCount = Math.round((2 * count) / 3);
  return random.shuffle(Array.from({ length: count }, (_, index) => (index < nearCount ? near : next)));
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
