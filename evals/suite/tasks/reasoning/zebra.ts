/** Zebra puzzles: people in a row of places, told apart by clues that have exactly one solution. */
import { exactTask } from '../../exact-task.ts';
import { askForAnswer } from '../../language/ask-for-answer.ts';
import type { Level } from '../../ladder/ladder.ts';
import type { Random } from '../../../random.ts';
import type { Kind } from '../../task.ts';
import type { Puzzle } from './grid.ts';
import { makePuzzle } from './grid.ts';
import type { ZebraStory } from './zebra-clues.ts';
import { drawZebraClue } from './zebra-clues.ts';
import { drawAttributes, settings } from './zebra-surface.ts';

/** From level 5 on no harder: larger grids cost their proofs more time than a warm-up is worth. */
const grids = {
  1: { size: 3, attributes: 2 },
  2: { size: 4, attributes: 3 },
  3: { size: 4, attributes: 5 },
  4: { size: 5, attributes: 5 },
  5: { size: 6, attributes: 6 },
  6: { size: 6, attributes: 6 },
  7: { size: 6, attributes: 6 },
  8: { size: 6, attributes: 6 },
} as const;

export const zebra: Kind = {
  name: 'zebra',
  make(random, level, limits) {
    const { story, puzzle } = makeZebra(random, level);
    const { size } = puzzle;
    const rows = story.attributes.map((_, attribute) => rowOf(story, puzzle, attribute));
    // The prompt lists values in alphabetical order, which must not be the answer.
    const open = rows.flatMap((row, index) => (isSorted(row) ? [] : [index]));
    if (open.length === 0) return zebra.make(random, level, limits);
    const asked = random.pick(open);
    const value = rows[asked] ?? [];
    return exactTask({
      prompt: tell(random, story, puzzle, asked),
      type: 'list',
      value,
      skill: 'deduction',
      mistakes: [swapped(value, 0), swapped(value, size - 2), value.toReversed(), value.slice(1)],
    });
  },
};

export function makeZebra(random: Random, level: Level): { story: ZebraStory; puzzle: Puzzle } {
  const grid = grids[level];
  const attributes = drawAttributes(random, grid.attributes, grid.size);
  const story = { grid, attributes, setting: random.pick(settings) };
  const puzzle = makePuzzle(random, grid, (solution) => drawZebraClue(random, story, level, solution));
  return { story, puzzle };
}

function tell(random: Random, story: ZebraStory, { size, clues }: Puzzle, asked: number): string {
  const { setting, attributes } = story;
  const lists = attributes.map(({ plural, values }) => `- ${plural}: ${values.toSorted().join(', ')}`);
  const numbered = random.chance(0.5);
  const told = clues.map(({ text }, index) => (numbered ? `${index + 1}. ${text}` : `- ${text}`));
  const plural = attributes[asked]?.plural ?? '';
  return [
    `${size} ${setting.row}. One person belongs to each ${setting.place}, and the ${size} people differ in each of these points:`,
    random.shuffle(lists).join('\n'),
    random.pick(['The following is known:', 'These statements are all true:', 'Clues:']),
    told.join('\n'),
    `What are the ${plural} ${setting.order}? ${askForAnswer(random, `the ${size} ${plural} in that order, separated by commas`)}`,
  ].join('\n\n');
}

/** The values of an attribute in the order of their places. */
function rowOf({ attributes }: ZebraStory, { size, solution }: Puzzle, attribute: number): string[] {
  const row: string[] = [];
  for (const [index, name] of (attributes[attribute]?.values ?? []).entries()) {
    row[solution[attribute * size + index] ?? 0] = name;
  }
  return row;
}

function isSorted(items: readonly string[]): boolean {
  return items.join() === items.toSorted().join();
}

function swapped(items: readonly string[], at: number): string[] {
  return items.with(at, items[at + 1] ?? '').with(at + 1, items[at] ?? '');
}
