/** The contents of each shelf after deliveries and removals, as JSON. */
import {
  type Category,
  firstDraft,
  gradeJson,
  inventNames,
  inventWords,
  type Kind,
  type Level,
} from 'agent-hub/eval-suite';

const movementCounts: Readonly<Record<Level, number>> = {
  1: 4,
  2: 9,
  3: 20,
  4: 40,
  5: 70,
  6: 90,
  7: 110,
  8: 130,
};

const shelves: Kind = {
  name: 'shelf-counts',
  make: (random, level) =>
    firstDraft(() => {
      const names = inventNames(random, 2 + level);
      const [goods = ''] = inventWords(random, 1);
      const counts = new Map(names.map((name) => [name, random.int(10, 40)]));
      const before = Object.fromEntries(counts);
      const lines = Array.from({ length: movementCounts[level] }, () => {
        const [from = '', to = ''] = random.sample(names, 2);
        const count = random.int(1, 9);
        const had = counts.get(from) ?? 0;
        if (had < count || random.chance(0.3)) {
          counts.set(to, (counts.get(to) ?? 0) + count);
          return `${count} crates of ${goods} arrive and are put on shelf ${to}.`;
        }
        counts.set(from, had - count);
        counts.set(to, (counts.get(to) ?? 0) + count);
        return `${count} crates of ${goods} are carried from shelf ${from} to shelf ${to}.`;
      });
      const value = Object.fromEntries(counts);
      if (names.some((name) => value[name] === before[name])) return null;
      const start = names.map((name) => `shelf ${name} holds ${before[name]}`).join(', ');
      const swapped = Object.fromEntries(
        names.map((name, place) => [name, value[names.at(place - 1) ?? ''] ?? 0]),
      );
      const expected = JSON.stringify(value);
      return {
        turns: [
          `In the morning ${start} crates of ${goods}. Then:\n\n${lines.join('\n')}\n\nHow many crates does each shelf hold in the evening? Reply with one JSON object and nothing else: a number for each name of a shelf.`,
        ],
        expected,
        answer: null,
        accepted: [[expected], [JSON.stringify(value, null, 2)], [`\`\`\`json\n${expected}\n\`\`\``]],
        refused: [
          [''],
          [JSON.stringify(before)],
          ...(JSON.stringify(swapped) === expected ? [] : [[JSON.stringify(swapped)]]),
        ],
        grade: ([reply = '']) => gradeJson(reply, value),
      };
    }),
};

export const category: Category = {
  name: 'structured',
  description: 'Returns data in the form that was asked for.',
  kinds: [shelves],
};
