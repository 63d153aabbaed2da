/** Spreads the three levels of difficulty evenly over the cases of a category, in random order. */
import type { Difficulty } from '../eval-case.ts';
import type { Random } from '../random.ts';

const levels: readonly Difficulty[] = ['easy', 'medium', 'hard'];

/** `count` levels; no two levels differ in frequency by more than one. */
export function spreadDifficulties(random: Random, count: number): Difficulty[] {
  const spread: Difficulty[] = [];
  while (spread.length < count) spread.push(...random.shuffle(levels));
  return spread.slice(0, count);
}

/** The value that belongs to a level. */
export function byDifficulty<Value>(difficulty: Difficulty, easy: Value, medium: Value, hard: Value): Value {
  return { easy, medium, hard }[difficulty];
}
