/** Convert between invented units. The prompt gives the ratios. */
import { answerNumber } from '../../graders/answer-number.ts';
import { graderSpec } from '../../graders/grader.ts';
import type { CaseDraft, Difficulty } from '../../eval-case.ts';
import { askForNumber } from '../../language/ask-for-answer.ts';
import { inventName, inventNouns } from '../../language/invented-word.ts';
import { byDifficulty } from '../../language/spread-difficulties.ts';
import type { Random } from '../../random.ts';

export function makeUnits(random: Random, difficulty: Difficulty): CaseDraft {
  const levels = byDifficulty(difficulty, 3, 4, 5);
  const units = inventNouns(random, levels);
  // `ratios[i]` of unit i + 1 make one of unit i. The last unit is the smallest.
  const ratios = Array.from({ length: levels - 1 }, () =>
    random.int(3, byDifficulty(difficulty, 12, 14, 18)),
  );
  const amounts = units.map((_, level) => random.int(1, Math.max(2, (ratios[level - 1] ?? 12) - 1)));
  const total = amounts.reduce((sum, amount, level) => sum * (ratios[level - 1] ?? 1) + amount, 0);
  const rules = ratios.map(
    (ratio, level) => `one ${units[level] ?? ''} is ${ratio} ${units[level + 1] ?? ''}s`,
  );
  const measure = amounts.map((amount, level) => `${amount} ${units[level] ?? ''}${amount === 1 ? '' : 's'}`);
  const smallest = `${units.at(-1) ?? ''}s`;
  const expected = String(total);
  const people = inventName(random);
  const order = random.shuffle(rules);
  const text = random.pick([
    `The people of ${people} measure like this: ${order.join('; ')}. How many ${smallest} are ${measure.join(' + ')}?`,
    `In ${people} these units are in use: ${order.join(', and ')}. A sack weighs ${measure.join(' and ')}. Give its weight in ${smallest}.`,
  ]);
  return {
    kind: 'units',
    difficulty,
    prompt: `${text}\n\n${askForNumber(random)}`,
    graders: [graderSpec(answerNumber, { expected, units: [smallest] })],
    scoring: 'weighted',
    expected,
  };
}
