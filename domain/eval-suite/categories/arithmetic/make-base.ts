/** Convert a number from one base to another. */
import { graderSpec } from '../../graders/grader.ts';
import { answerDigits } from './answer-digits.ts';
import type { CaseDraft, Difficulty } from '../../eval-case.ts';
import { askForAnswer } from '../../language/ask-for-answer.ts';
import { inventName } from '../../language/invented-word.ts';
import { byDifficulty } from '../../language/spread-difficulties.ts';
import type { Random } from '../../random.ts';

export function makeBase(random: Random, difficulty: Difficulty): CaseDraft {
  const [from, to] = pickBases(random, difficulty);
  const value = byDifficulty(
    difficulty,
    random.int(300, 4_000),
    random.int(5_000, 60_000),
    random.int(100_000, 2_000_000),
  );
  const source = value.toString(from).toUpperCase();
  const expected = value.toString(to).toUpperCase();
  const letters =
    Math.max(from, to) > 10 ? ' Digits above 9 are written as the letters A, B, C and so on.' : '';
  const place = inventName(random);
  const task = random.pick([
    `In ${place}, numbers are written in base ${from}, and a sign there reads ${source}. Write that number in base ${to}.${letters}`,
    `${place} wants the number ${source}, which is written in base ${from}, converted to base ${to}.${letters}`,
    `A counter in ${place} works in base ${from} and shows ${source}. What would a counter that works in base ${to} show?${letters}`,
  ]);
  return {
    kind: 'base',
    difficulty,
    prompt: `${task}\n\n${askForAnswer(random, `the digits in base ${to} (no prefix)`)}`,
    graders: [graderSpec(answerDigits, { expected, base: to })],
    scoring: 'weighted',
    expected,
  };
}

const otherBases = [3, 5, 6, 7, 9];

function pickBases(random: Random, difficulty: Difficulty): readonly [from: number, to: number] {
  if (difficulty === 'hard') {
    const [from = 7, to = 12] = random.sample([...otherBases, 11, 12, 13], 2);
    return [from, to];
  }
  const base = random.pick(difficulty === 'easy' ? [2, 8, 16] : otherBases);
  return random.chance(0.5) ? [10, base] : [base, 10];
}
