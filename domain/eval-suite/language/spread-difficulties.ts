import type { Difficulty } from '../eval-case.ts';
import type { Random } from '../random.ts';

/** From easy to hard. */
export const difficulties: readonly Difficulty[] = ['easy', 'medium', 'hard'];

/** `count` difficulties in random order, spread evenly: no two differ in frequency by more than one. */
export function spreadDifficulties(random: Random, count: number): Difficulty[] {
  const spread: Difficulty[] = [];
  while (spread.length < count) spread.push(...random.shuffle(difficulties));
  return spread.slice(0, count);
}

/** The value for a difficulty. */
export function byDifficulty<Value>(difficulty: Difficulty, easy: Value, medium: Value, hard: Value): Value {
  return { easy, medium, hard }[difficulty];
}
