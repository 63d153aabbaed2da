/** Long arithmetic: a chain of steps, a column of amounts with rules, or a product of two long numbers. */
import { exactTask } from '../../exact-task.ts';
import type { Level } from '../../ladder/ladder.ts';
import { askForNumber } from '../../language/ask-for-answer.ts';
import { firstDraft } from '../../language/draft.ts';
import type { Random } from '../../../random.ts';
import type { Kind, Task } from '../../task.ts';
import { makeChain } from './chain.ts';
import { stepCounts } from './step-counts.ts';

export const arithmetic: Kind = {
  name: 'arithmetic',
  make: (random, level) => random.pick([makeChain, makeColumn, makeProduct])(random, level),
};

/** An amount and its mark: a star doubles it, a dash subtracts it. */
interface Amount {
  readonly value: number;
  readonly mark: '' | '*' | '-';
}

function makeColumn(random: Random, level: Level): Task {
  return firstDraft(() => {
    const amounts = Array.from({ length: stepCounts[level] }, (): Amount => {
      const value = random.int(101, 9_899);
      return { value, mark: random.pick(['', '', '', '*', '-']) };
    });
    // The lines at its multiples do not count.
    const skipped = random.int(3, 7);
    const value = total(amounts, skipped);
    const unmarked = amounts.map((amount): Amount => ({ ...amount, mark: '' }));
    const mistakes = [
      total(unmarked, skipped),
      total(amounts, Infinity),
      total(amounts.slice(0, -1), skipped),
      value + 10,
    ];
    if (value < 1_000 || mistakes.slice(0, 2).includes(value)) return null;
    const lines = amounts.map(({ value: amount, mark }) => `${amount}${mark === '' ? '' : ` ${mark}`}`);
    return exactTask({
      prompt: [
        `Work out the total of the amounts below. An amount with a star (*) counts twice, and an amount with a minus sign (-) behind it is subtracted instead of added. Leave out every ${ordinal(skipped)} line of the list (lines ${skipped}, ${2 * skipped}, ${3 * skipped} and so on), whatever stands there.`,
        lines.join('\n'),
        `What is the total? ${askForNumber(random)}`,
      ].join('\n\n'),
      type: 'number',
      value: String(value),
      skill: 'long-arithmetic',
      mistakes: mistakes.map(String),
    });
  });
}

/** The total without every `skip`-th amount. */
function total(amounts: readonly Amount[], skip: number): number {
  return amounts.reduce((sum, amount, index) => sum + ((index + 1) % skip === 0 ? 0 : worth(amount)), 0);
}

function worth({ value, mark }: Amount): number {
  return mark === '' ? value : mark === '*' ? 2 * value : -value;
}

function ordinal(count: number): string {
  return ['third', 'fourth', 'fifth', 'sixth', 'seventh'][count - 3] ?? '';
}

/** There are about as many products of single digits as the level has steps. */
function makeProduct(random: Random, level: Level): Task {
  const length = Math.round(Math.sqrt(stepCounts[level]));
  return firstDraft(() => {
    const [first, second] = [drawDigits(random, length), drawDigits(random, length)];
    const value = String(BigInt(first) * BigInt(second));
    const middle = Math.floor(value.length / 2);
    const slipped =
      value.slice(0, middle) + String((Number(value[middle]) + 1) % 10) + value.slice(middle + 1);
    return exactTask({
      prompt: `${random.pick([`Multiply ${first} by ${second}.`, `What is ${first} times ${second}?`, `Work out the product of ${first} and ${second}.`])} ${random.pick(['The result must be exact.', 'Every digit counts.'])} ${askForNumber(random)}`,
      type: 'number',
      value,
      skill: 'long-arithmetic',
      mistakes: [slipped, value.slice(0, -1), `${value}0`, String(BigInt(first) + BigInt(second)), first],
    });
  });
}

function drawDigits(random: Random, length: number): string {
  return random.text('123456789', 1) + random.text('0123456789', length - 2) + random.text('1379', 1);
}
