/** Weights that follow from differences and sums: a chain in random order, interleaved with facts about others. */
import {
  askForNumber,
  type Category,
  exactTask,
  firstDraft,
  inventNames,
  type Kind,
  type Level,
} from 'agent-hub/eval-suite';

const stoneCounts: Readonly<Record<Level, number>> = { 1: 3, 2: 5, 3: 8, 4: 12, 5: 18, 6: 22, 7: 26, 8: 30 };

const stones: Kind = {
  name: 'weighed-stones',
  make: (random, level) =>
    firstDraft(() => {
      const names = inventNames(random, stoneCounts[level]);
      const weights = new Map(names.map((name) => [name, random.int(11, 89)]));
      const weightOf = (name: string) => weights.get(name) ?? 0;
      const [first = '', ...rest] = names;
      const asked = rest.at(-1) ?? '';
      // Each stone is described through an earlier one, so every weight follows from the first.
      const facts = rest.map((name, place) => {
        const other = names[random.int(Math.max(0, place - 2), place)] ?? first;
        const [own, others] = [weightOf(name), weightOf(other)];
        if (random.chance(0.3)) return `Together, ${other} and ${name} weigh ${own + others} grams.`;
        const difference = Math.abs(own - others);
        return own >= others
          ? `${name} weighs ${difference} grams more than ${other}.`
          : `${name} is ${difference} grams lighter than ${other}.`;
      });
      const value = String(weightOf(asked));
      const mistakes = rest.map((name) => String(weightOf(name))).filter((other) => other !== value);
      // Guessing a weight that the text names must not succeed.
      if (mistakes.length === 0 || facts.some((fact) => fact.includes(` ${value} `))) return null;
      if (value === String(weightOf(first))) return null;
      return exactTask({
        prompt: `Some stones lie on a table. ${random
          .shuffle([`${first} weighs ${weightOf(first)} grams.`, ...facts])
          .join(' ')}\n\nHow many grams does ${asked} weigh? ${askForNumber(random)}`,
        type: 'number',
        value,
        reading: { units: ['grams', 'gram', 'g'] },
        skill: 'deduction',
        mistakes,
      });
    }),
};

export const category: Category = {
  name: 'reasoning',
  description: 'Combines facts until only one answer is left.',
  kinds: [stones],
};
