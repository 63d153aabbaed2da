/** A deed, its visitors one after the other, and what witnesses say: who was it, where and with what? */
import { exactTask } from '../../exact-task.ts';
import type { Level } from '../../ladder/ladder.ts';
import { askForAnswer } from '../../language/ask-for-answer.ts';
import { sentence } from '../../language/sentence.ts';
import type { Random } from '../../../random.ts';
import type { Kind } from '../../task.ts';
import type { Puzzle } from './grid.ts';
import { makePuzzle } from './grid.ts';
import type { Story } from './story-clues.ts';
import { clock, drawStoryClue, who } from './story-clues.ts';
import type { Scene } from './story-surface.ts';
import { asides, drawAspects, scenes, witnesses } from './story-surface.ts';

const grids = {
  1: { size: 3, attributes: 2 },
  2: { size: 4, attributes: 3 },
  3: { size: 4, attributes: 4 },
  4: { size: 5, attributes: 4 },
  5: { size: 6, attributes: 5 },
  6: { size: 6, attributes: 5 },
  7: { size: 6, attributes: 5 },
  8: { size: 6, attributes: 5 },
} as const;

export const story: Kind = {
  name: 'story',
  make(random, level) {
    const { scene, told, puzzle } = makeStory(random, level);
    const { size, attributes } = puzzle;
    // The culprit is known only as the one after or before somebody else.
    const culprit = random.int(0, size - 1);
    const isAfter = culprit > 0 && (culprit === size - 1 || random.chance(0.5));
    const known = random.int(0, attributes - 1) * size;
    const neighbour = valueAt(puzzle, known, isAfter ? culprit - 1 : culprit + 1);
    const tripleAt = (position: number) =>
      told.aspects.map(
        ({ values }, aspect) => values[valueAt(puzzle, aspect * size, position) - aspect * size] ?? '',
      );
    const value = tripleAt(culprit);
    const others = Array.from({ length: size }, (_, position) => tripleAt(position)).filter(
      (_, position) => position !== culprit,
    );
    const asked = told.aspects.map(({ asked: what }) => what);
    const what = `${asked.slice(0, -1).join(', ')} and ${asked.at(-1) ?? ''}`;
    return exactTask({
      prompt: [
        tell(random, scene, told, puzzle),
        `At ${scene.place}, ${scene.deed} by the visitor who came directly ${isAfter ? 'after' : 'before'} ${who(told, neighbour)}. Who was it? ${askForAnswer(random, `${what}, one word each, in this order and separated by commas`)}`,
      ].join('\n\n'),
      type: 'list',
      value,
      skill: 'deduction',
      mistakes: [...others.slice(0, 3), value.with(1, others[0]?.[1] ?? ''), value.slice(1)],
    });
  },
};

export function makeStory(random: Random, level: Level): { scene: Scene; told: Story; puzzle: Puzzle } {
  const grid = grids[level];
  const scene = random.pick(scenes);
  const aspects = drawAspects(random, scene, grid.attributes, grid.size);
  const times: number[] = [];
  for (let time = 5 * random.int(108, 132); times.length < grid.size; time += 5 * random.int(3, 14))
    times.push(time);
  const told = { grid, aspects, times };
  const puzzle = makePuzzle(random, grid, (solution) => drawStoryClue(random, told, level, solution));
  return { scene, told, puzzle };
}

/** The value at `position` of the attribute that starts at `first`. */
function valueAt({ size, solution }: Puzzle, first: number, position: number): number {
  return first + solution.slice(first, first + size).indexOf(position);
}

function tell(random: Random, scene: Scene, { aspects, times }: Story, { size, clues }: Puzzle): string {
  const clocks = times.map(clock);
  const statements = clues.map(({ text }) => {
    const witness = random.pick(witnesses);
    return random.chance(0.4) ? sentence(text) : `${witness} ${text}.`;
  });
  const told = random.shuffle([...statements, ...random.sample(asides, random.int(0, 3))]);
  const paragraphs: string[] = [];
  while (told.length > 0) paragraphs.push(told.splice(0, random.int(3, 6)).join(' '));
  const lists = aspects.map(({ label, values }) => `${label} ${values.toSorted().join(', ')}.`);
  return [
    `On that day ${size} people visited ${scene.place}, one after the other, at ${clocks.slice(0, -1).join(', ')} and ${clocks.at(-1) ?? ''}. ${lists.join(' ')} Everything that follows is true.`,
    ...paragraphs,
  ].join('\n\n');
}
