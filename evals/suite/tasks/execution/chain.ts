/** A number that goes through many steps of arithmetic, with conditions on its current value. */
import { exactTask } from '../../exact-task.ts';
import type { Level } from '../../ladder/ladder.ts';
import { askForNumber } from '../../language/ask-for-answer.ts';
import { firstDraft } from '../../language/draft.ts';
import type { Random } from '../../../random.ts';
import type { Task } from '../../task.ts';
import { stepCounts } from './step-counts.ts';

export type ChainStep =
  | { readonly does: 'add' | 'subtract' | 'multiply'; readonly by: number }
  | { readonly does: 'reverse' }
  | {
      readonly does: 'if even' | 'if above';
      readonly limit: number;
      readonly add: number;
      readonly times: number;
    };

/** Numbers stay below `modulus`: larger ones are replaced by their remainder, and it is added to negative ones. */
export function applyChainStep(value: number, step: ChainStep, modulus: number, branch?: boolean): number {
  switch (step.does) {
    case 'add':
      return (value + step.by) % modulus;
    case 'subtract':
      return (value - step.by + modulus) % modulus;
    case 'multiply':
      return (value * step.by) % modulus;
    case 'reverse':
      return Number(String(value).split('').toReversed().join('')) % modulus;
    case 'if even':
      return ((branch ?? value % 2 === 0) ? value + step.add : value * step.times) % modulus;
    case 'if above':
      return ((branch ?? value > step.limit) ? value + step.add : value * step.times) % modulus;
  }
}

export function makeChain(random: Random, level: Level): Task {
  return firstDraft(() => {
    const modulus = random.pick([5_003, 6_007, 7_001, 8_009, 9_001, 9_973]);
    const start = random.int(100, 999);
    const steps: ChainStep[] = [];
    let value = start;
    while (steps.length < stepCounts[level]) {
      const step = drawStep(random, modulus);
      const next = applyChainStep(value, step, modulus);
      const isCondition = step.does === 'if even' || step.does === 'if above';
      const alike = [true, false].map((branch) => applyChainStep(value, step, modulus, branch));
      // A step that leaves the number unchanged, makes it tiny or ignores a condition would make earlier steps
      // irrelevant.
      if (next === value || next < 10 || (isCondition && alike[0] === alike[1])) continue;
      steps.push(step);
      value = next;
    }
    const run = (kept: readonly ChainStep[], branch?: boolean) =>
      kept.reduce((before, step) => applyChainStep(before, step, modulus, branch), start);
    const mistakes = [run(steps, true), run(steps, false), run(steps.slice(0, -1)), run(steps.slice(1))];
    const taken = steps.some(({ does }) => does.startsWith('if')) ? mistakes : mistakes.slice(2);
    if (value === start || value < 100 || taken.includes(value)) return null;
    const told = steps.map((step, index) => `${index + 1}. ${tell(random, step)}`);
    return exactTask({
      prompt: [
        `Start with the number ${start} and carry out the steps below in order. Whenever a result is ${modulus} or more, go on with its remainder after division by ${modulus}; whenever it is below 0, add ${modulus}.`,
        told.join('\n'),
        `Which number do you have after step ${steps.length}? ${askForNumber(random)}`,
      ].join('\n\n'),
      type: 'number',
      value: String(value),
      skill: 'long-arithmetic',
      mistakes: taken.map(String),
    });
  });
}

function drawStep(random: Random, modulus: number): ChainStep {
  const drawn = random.int(1, 100);
  if (drawn <= 30) return { does: 'add', by: random.int(11, 999) };
  if (drawn <= 55) return { does: 'subtract', by: random.int(11, 999) };
  if (drawn <= 75) return { does: 'multiply', by: random.int(2, 9) };
  if (drawn <= 80) return { does: 'reverse' };
  const condition = {
    limit: 100 * random.int(10, Math.floor(modulus / 100) - 10),
    add: random.int(11, 499),
    times: random.int(2, 5),
  };
  return { does: random.chance(0.5) ? 'if even' : 'if above', ...condition };
}

function tell(random: Random, step: ChainStep): string {
  switch (step.does) {
    case 'add':
      return random.pick([`Add ${step.by}.`, `Increase it by ${step.by}.`]);
    case 'subtract':
      return random.pick([`Subtract ${step.by}.`, `Take away ${step.by}.`]);
    case 'multiply':
      return random.pick([`Multiply by ${step.by}.`, `Make it ${step.by} times as large.`]);
    case 'reverse':
      return 'Write its digits in reverse order and drop zeros at the front.';
    case 'if even':
      return `If it is even, add ${step.add}; otherwise multiply by ${step.times}.`;
    case 'if above':
      return `If it is greater than ${step.limit}, add ${step.add}; otherwise multiply by ${step.times}.`;
  }
}
