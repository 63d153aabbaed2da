/** Changes to a text of lines, each with a sentence for the prompt and its effect. */
import type { Random } from '../../../random.ts';
import { compareText } from './sorting.ts';

export type Lines = readonly (readonly string[])[];

export interface Edit {
  readonly text: string;
  readonly apply: (lines: Lines) => Lines;
}

type DrawEdit = (random: Random, lines: Lines) => Edit;

/** @param lines the text before this change */
export function drawEdit(random: Random, lines: Lines): Edit {
  return random.pick(edits)(random, lines);
}

const edits: readonly DrawEdit[] = [
  (random, lines) => {
    const [left = 0, right = 1] = random.sample([...lines.keys()], 2).toSorted((one, other) => one - other);
    return {
      text: `Swap lines ${left + 1} and ${right + 1}.`,
      apply: (now) => now.map((line, at) => now[at === left ? right : at === right ? left : at] ?? line),
    };
  },
  (random, lines) => {
    const place = random.int(0, lines.length - 1);
    return {
      text: `Write the words of line ${place + 1} in reverse order.`,
      apply: (now) => now.map((line, at) => (at === place ? line.toReversed() : line)),
    };
  },
  (random, lines) => {
    const place = random.int(0, lines.length - 2);
    return {
      text: `Move line ${place + 1} to the end.`,
      apply: (now) => [...now.toSpliced(place, 1), ...now.slice(place, place + 1)],
    };
  },
  (random, lines) => {
    const place = random.int(1, lines.length - 1);
    return {
      text: `Move line ${place + 1} to the top.`,
      apply: (now) => [...now.slice(place, place + 1), ...now.toSpliced(place, 1)],
    };
  },
  (random, lines) => {
    const before = random.pick(random.pick(lines));
    const after = `${before.slice(0, 2)}${random.pick(['vex', 'dorf', 'ning'])}`;
    return {
      text: `Replace the word "${before}" by "${after}" wherever it occurs; words that only contain it stay as they are.`,
      apply: (now) => now.map((line) => line.map((other) => (other === before ? after : other))),
    };
  },
  (random) => {
    const [first, name] = random.pick([
      [true, 'first'],
      [false, 'last'],
    ] as const);
    return {
      text: `Delete the ${name} word of each line.`,
      apply: (now) => now.map((line) => (first ? line.slice(1) : line.slice(0, -1))),
    };
  },
  () => ({
    text: 'Move the last word of each line to the beginning of its line.',
    apply: (now) => now.map((line) => [...line.slice(-1), ...line.slice(0, -1)]),
  }),
  () => ({
    text: 'Swap the first and the last word of each line.',
    apply: (now) => now.map((line) => [...line.slice(-1), ...line.slice(1, -1), ...line.slice(0, 1)]),
  }),
  (random, lines) => {
    const place = random.int(0, lines.length - 1);
    return {
      text: `Put the words of line ${place + 1} in alphabetical order.`,
      apply: (now) => now.map((line, at) => (at === place ? line.toSorted(compareText) : line)),
    };
  },
  (random, lines) => {
    const word = random.pick(random.pick(lines));
    return {
      text: `Delete every line in which the word "${word}" occurs.`,
      apply: (now) => now.filter((line) => !line.includes(word)),
    };
  },
];
