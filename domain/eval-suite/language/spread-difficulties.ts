import type { Difficulty } from '../eval-case.ts';
import type { Random } from '../random.ts';

/** From easy to hard. */
export const difficulties: readonly Difficulty[] = ['easy', 'medium', 'hard'];

/** Spread evenly, in random order: no difficulty is more than one case ahead of another. */
export function spreadDifficulties(random: Random, count: number): Difficulty[] {
  const spread: Difficulty[] = [];
  while (spread.length < count) spread.push(...random.shuffle(difficulties));
  return spread.slice(0, count);
}

export function byDifficulty<Value>(difficulty: Difficulty, easy: Value, medium: Value, hard: Value): Value {
  return { easy, medium, hard }[difficulty];
}
