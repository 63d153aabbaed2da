/** A story in which a stock of invented goods is increased, sold, multiplied and divided, step by step. */
import { answerNumber } from '../../graders/answer-number.ts';
import { graderSpec } from '../../graders/grader.ts';
import type { CaseDraft, Difficulty } from '../../eval-case.ts';
import { askForNumber } from '../../language/ask-for-answer.ts';
import { inventName, inventNoun } from '../../language/invented-word.ts';
import { byDifficulty } from '../../language/spread-difficulties.ts';
import type { Random } from '../../random.ts';

interface Step {
  readonly text: string;
  readonly after: number;
}

/** Limits the stock so that the sums need care, not stamina. */
const maxStock = 99_999;

export function makeChain(random: Random, difficulty: Difficulty): CaseDraft {
  const place = inventName(random);
  const goods = `${inventNoun(random)}s`;
  const start = random.int(200, 999);
  const steps: Step[] = [];
  const count = byDifficulty(difficulty, 3, 5, 8);
  while (steps.length < count) steps.push(nextStep(random, goods, steps.at(-1)?.after ?? start));
  const expected = String(steps.at(-1)?.after ?? start);
  const opening = random.pick([
    `The store at ${place} starts the season with ${start} ${goods}.`,
    `At dawn there are ${start} ${goods} in the store at ${place}.`,
    `${place} keeps a count of its ${goods}. The count begins at ${start}.`,
  ]);
  const question = random.pick([
    `How many ${goods} are in the store at the end?`,
    `What is the number of ${goods} after the last step?`,
    `After all of this, how many ${goods} does the store hold?`,
  ]);
  const story = steps.map((step) => step.text).join(' ');
  return {
    kind: 'chain',
    difficulty,
    prompt: `${opening} ${story} ${question}\n\n${askForNumber(random)}`,
    graders: [graderSpec(answerNumber, { expected, units: [goods] })],
    scoring: 'weighted',
    expected,
  };
}

function nextStep(random: Random, goods: string, stock: number): Step {
  const divisor = random.pick([2, 3, 4, 5, 6, 7, 8, 9]);
  if (stock >= 200 && stock % divisor === 0 && random.chance(0.5)) {
    const text = random.pick([
      `The stock is split evenly over ${divisor} carts; one cart's load stays in the store and the other carts leave for good.`,
      `All ${goods} are shared out equally among ${divisor} stores, and only this store's share is counted from here on.`,
    ]);
    return { text, after: stock / divisor };
  }
  const factor = random.int(2, 9);
  if (stock * factor <= maxStock && random.chance(0.3)) {
    const text = random.pick([
      `Then the stock grows to ${factor} times what it was.`,
      `A good week makes the number of ${goods} ${factor} times as large.`,
    ]);
    return { text, after: stock * factor };
  }
  const amount = random.int(17, 989);
  if (amount < stock && random.chance(0.5)) {
    const text = random.pick([
      `${amount} ${goods} are sold.`,
      `A caravan takes ${amount} of the ${goods} away.`,
      `${amount} ${goods} spoil and are thrown out.`,
    ]);
    return { text, after: stock - amount };
  }
  const text = random.pick([
    `A delivery brings ${amount} more ${goods}.`,
    `${amount} further ${goods} come in.`,
    `The neighbours add ${amount} ${goods}.`,
  ]);
  return { text, after: stock + amount };
}
