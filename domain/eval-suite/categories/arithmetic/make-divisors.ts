/**
 * Greatest common divisors and least common multiples, as problems about ropes, shelves, lamps and bells.
 */
import { answerNumber } from '../../graders/answer-number.ts';
import { graderSpec } from '../../graders/grader.ts';
import type { CaseDraft, Difficulty } from '../../eval-case.ts';
import { askForNumber } from '../../language/ask-for-answer.ts';
import { inventName } from '../../language/invented-word.ts';
import { byDifficulty } from '../../language/spread-difficulties.ts';
import type { Random } from '../../random.ts';

export function makeDivisors(random: Random, difficulty: Difficulty): CaseDraft {
  const useGcd = random.chance(0.5);
  const numbers = useGcd ? numbersForGcd(random, difficulty) : numbersForLcm(random, difficulty);
  const result = numbers.reduce(useGcd ? greatestCommonDivisor : leastCommonMultiple);
  const expected = String(result);
  const text = useGcd ? gcdStory(random, numbers) : lcmStory(random, numbers);
  return {
    kind: useGcd ? 'gcd' : 'lcm',
    difficulty,
    prompt: `${text}\n\n${askForNumber(random)}`,
    graders: [graderSpec(answerNumber, { expected, units: [useGcd ? 'cm' : 'seconds'] })],
    scoring: 'weighted',
    expected,
  };
}

function numbersForGcd(random: Random, difficulty: Difficulty): number[] {
  const divisor = byDifficulty(difficulty, random.int(6, 30), random.int(20, 99), random.int(40, 240));
  const factors = random.sample(
    [5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29],
    byDifficulty(difficulty, 2, 2, 3),
  );
  return factors.map((factor) => factor * divisor);
}

function numbersForLcm(random: Random, difficulty: Difficulty): number[] {
  const shared = random.int(2, byDifficulty(difficulty, 6, 12, 15));
  const pool = byDifficulty(
    difficulty,
    [3, 4, 5, 6, 7, 8, 9],
    [7, 8, 9, 10, 11, 12, 13, 14],
    [8, 9, 10, 11, 13, 14, 15, 17],
  );
  return random.sample(pool, byDifficulty(difficulty, 2, 2, 3)).map((factor) => factor * shared);
}

/** Euclid's algorithm. */
export function greatestCommonDivisor(left: number, right: number): number {
  let [larger, smaller] = [left, right];
  while (smaller !== 0) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}

function leastCommonMultiple(left: number, right: number): number {
  return (left / greatestCommonDivisor(left, right)) * right;
}

function gcdStory(random: Random, numbers: readonly number[]): string {
  const list = inWords(numbers.map((number) => `${number} cm`));
  return random.pick([
    `${inventName(random)} has ropes of ${list}. All of them are to be cut, with nothing left over, into pieces of one equal whole number of centimetres. What is the greatest possible length of a piece, in cm?`,
    `The shelves of ${inventName(random)} measure ${list}. What is the largest whole number of centimetres that fits into each of these lengths exactly?`,
    `Beams from the workshop of ${inventName(random)} are ${list} long. Find the longest measuring stick, in whole centimetres, that measures every beam exactly.`,
  ]);
}

function lcmStory(random: Random, numbers: readonly number[]): string {
  const list = inWords(numbers.map(String));
  return random.pick([
    `In the harbour of ${inventName(random)}, ${numbers.length} lamps flash every ${list} seconds. They have just flashed together. After how many seconds do they next flash together?`,
    `${numbers.length} bells in ${inventName(random)} ring at intervals of ${list} seconds, and all of them ring now. How many seconds pass until all of them ring at once again?`,
  ]);
}

function inWords(items: readonly string[]): string {
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;
}
