/** Select, sort and cut: words by their letters, or the entries of a register by their columns. */
import { exactTask } from '../../exact-task.ts';
import type { Level } from '../../ladder/ladder.ts';
import { askForAnswer } from '../../language/ask-for-answer.ts';
import { firstDraft } from '../../language/draft.ts';
import type { Random } from '../../../random.ts';
import type { Kind, Task } from '../../task.ts';
import { drawRegisterRules, makeRegister } from './register.ts';
import { compareText, type Sorting, type SortKey } from './sorting.ts';
import { countVowels, drawProperty, inventVocabulary, wordCounts } from './words.ts';

const filterCounts: Readonly<Record<Level, number>> = { 1: 0, 2: 1, 3: 2, 4: 2, 5: 3, 6: 3, 7: 3, 8: 3 };
const keyCounts: Readonly<Record<Level, number>> = { 1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 6: 3, 7: 3, 8: 3 };
const answerCounts: Readonly<Record<Level, number>> = { 1: 5, 2: 7, 3: 9, 4: 12, 5: 15, 6: 18, 7: 21, 8: 24 };

export const sortKind: Kind = {
  name: 'sort',
  make(random, level) {
    const isWords = random.chance(0.5);
    return firstDraft(() => {
      if (isWords) {
        const words = inventVocabulary(random, wordCounts[level]);
        return makeSort(random, level, () => drawWordRules(random, level, words));
      }
      const register = makeRegister(random, wordCounts[level]);
      return makeSort(random, level, () =>
        drawRegisterRules(random, register, filterCounts[level], keyCounts[level]),
      );
    });
  },
};

/** Sets of rules that are tried on the same items. */
const maxRules = 20;

function makeSort<Item>(random: Random, level: Level, draw: () => Sorting<Item>): Task | null {
  const count = answerCounts[level];
  for (let attempt = 0; attempt < maxRules; attempt += 1) {
    const sorting = draw();
    const value = solve(sorting, count);
    if (value.length < count) continue;
    const mistakes = differentMistakes(sorting, count, value);
    if (mistakes === null) continue;
    return exactTask({
      prompt: describe(random, sorting, count),
      type: 'list',
      value,
      skill: 'selection-and-order',
      mistakes: [...mistakes, value.toReversed(), value.slice(0, -1)],
    });
  }
  return null;
}

function solve<Item>({ items, nameOf, filters, keys }: Sorting<Item>, count: number): string[] {
  return items
    .filter((item) => filters.every((filter) => filter.holds(item)))
    .toSorted((left, right) => {
      for (let place = 0; place < keys.length; place += 1) {
        const order = keys[place]?.compare(left, right) ?? 0;
        if (order !== 0) return order;
      }
      return 0;
    })
    .slice(0, count)
    .map(nameOf);
}

/**
 * The results of overlooking one rule, or of keeping the order of the text; null if one of them happens to be right.
 * The last key only breaks ties, so it need not matter.
 */
function differentMistakes<Item>(
  sorting: Sorting<Item>,
  count: number,
  value: readonly string[],
): string[][] | null {
  const { filters, keys } = sorting;
  const variants = [
    { ...sorting, keys: [] },
    ...keys.slice(0, -1).map((_, left) => ({ ...sorting, keys: keys.toSpliced(left, 1) })),
    ...filters.map((_, left) => ({ ...sorting, filters: filters.toSpliced(left, 1) })),
  ];
  const mistakes: string[][] = [];
  for (const variant of variants) {
    const mistake = solve(variant, count);
    if (mistake.join(' ') === value.join(' ')) return null;
    mistakes.push(mistake);
  }
  return mistakes;
}

function describe<Item>(
  random: Random,
  { heading, items, write, separator, noun, filters, keys }: Sorting<Item>,
  count: number,
): string {
  const selection = filters.map(({ text }) => text).join(', and ');
  const order = keys.map(({ text }, place) => (place === 0 ? text : `among equals ${text}`)).join('; ');
  const kept = filters.length === 0 ? `the ${noun}` : `only the ${noun} that ${selection}`;
  const steps = random.pick([
    `Take ${kept}, sort them ${order}, and give the first ${count} of them.`,
    `Which ${count} ${noun} come first if you take ${kept} and sort them ${order}?`,
    `Take ${kept}. Put them in order ${order}. Your result is the first ${count}.`,
  ]);
  const ask = askForAnswer(random, `those ${count} ${noun} in order, separated by commas`);
  const material = `${heading}\n${items.map(write).join(separator)}`;
  return random.pick([`${material}\n\n${steps} ${ask}`, `${steps} ${ask}\n\n${material}`]);
}

function drawWordRules(random: Random, level: Level, words: readonly string[]): Sorting<string> {
  const alphabet: SortKey<string> = random.pick([
    { text: 'by the alphabet', compare: compareText },
    { text: 'by the alphabet from z to a', compare: (left, right) => compareText(right, left) },
  ]);
  return {
    heading: random.pick(['Here are some words:', 'A list of words:', 'The words:']),
    items: words,
    write: (word) => word,
    separator: random.pick([' ', ', ']),
    noun: 'words',
    nameOf: (word) => word,
    filters: Array.from({ length: filterCounts[level] }, () => drawProperty(random)),
    keys: [...random.sample(wordKeys, keyCounts[level]).map((family) => random.pick(family)), alphabet],
  };
}

/** By family: two keys of one family would make the second one useless. */
const wordKeys: readonly (readonly SortKey<string>[])[] = [
  [
    { text: 'by length, shortest first', compare: (left, right) => left.length - right.length },
    { text: 'by length, longest first', compare: (left, right) => right.length - left.length },
  ],
  [
    {
      text: 'by their last letter, from a to z',
      compare: (left, right) => compareText(left.at(-1) ?? '', right.at(-1) ?? ''),
    },
    {
      text: 'by their second letter, from a to z',
      compare: (left, right) => compareText(left.charAt(1), right.charAt(1)),
    },
  ],
  [
    {
      text: 'by how many of their letters are vowels (a, e, i, o, u), most first',
      compare: (left, right) => countVowels(right) - countVowels(left),
    },
    {
      text: 'by how many of their letters are vowels (a, e, i, o, u), fewest first',
      compare: (left, right) => countVowels(left) - countVowels(right),
    },
  ],
];
