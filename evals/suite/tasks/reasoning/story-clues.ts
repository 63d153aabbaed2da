/** What witnesses say in a story: clues about the order of visits and about who is who. */
import type { Level } from '../../ladder/ladder.ts';
import type { Random } from '../../../random.ts';
import { otherValue, twoValues } from './grid-values.ts';
import type { Clue } from './grid.ts';
import { isTrueOf } from './grid.ts';
import type { Grid } from './solve-grid.ts';
import type { Aspect } from './story-surface.ts';

export interface Story {
  readonly grid: Grid;
  readonly aspects: readonly Aspect[];
  /** When each visit began, in minutes since midnight. */
  readonly times: readonly number[];
}

type Draw = (random: Random, story: Story) => Clue;

const same: Draw = (random, story) => {
  const [a, b] = twoValues(random, story.grid, 'different');
  return { values: [a, b], holds: (one, two) => one === two, text: `${who(story, a)} ${did(story, b)}` };
};

const different: Draw = (random, story) => {
  const [a, b] = twoValues(random, story.grid, 'different');
  const text = `${who(story, a)} and ${who(story, b)} were not the same person`;
  return { values: [a, b], holds: (one, two) => one !== two, text };
};

const earlier: Draw = (random, story) => {
  const [a, b] = twoValues(random, story.grid, 'any');
  const text = `${who(story, a)} was there at an earlier time than ${who(story, b)}`;
  return { values: [a, b], holds: (one, two) => one < two, text };
};

const next: Draw = (random, story) => {
  const [a, b] = twoValues(random, story.grid, 'any');
  const text = `${who(story, b)} was the very next visitor after ${who(story, a)}`;
  return { values: [a, b], holds: (one, two) => two === one + 1, text };
};

const oneBetween: Draw = (random, story) => {
  const [a, b] = twoValues(random, story.grid, 'any');
  const text = `exactly one visitor came between ${who(story, a)} and ${who(story, b)}`;
  return { values: [a, b], holds: (one, two) => Math.abs(one - two) === 2, text };
};

const within: Draw = (random, story) => {
  const [a, b] = twoValues(random, story.grid, 'any');
  const minutes = 10 * random.int(3, 18);
  const text = `${who(story, a)} and ${who(story, b)} were two different people, there less than ${minutes} minutes apart`;
  return {
    values: [a, b],
    holds: (one, two) => one !== two && Math.abs(at(story, one) - at(story, two)) < minutes,
    text,
  };
};

const half: Draw = (random, story) => {
  const [a] = twoValues(random, story.grid, 'any');
  const middle = random.int(1, story.grid.size - 1);
  const time = clock(at(story, middle) - 5);
  const before = random.chance(0.5);
  const text = `${who(story, a)} was there ${before ? 'before' : 'after'} ${time}`;
  return { values: [a], holds: (one) => one < middle === before, text };
};

const either: Draw = (random, story) => {
  const [a, b] = twoValues(random, story.grid, 'different');
  const c = otherValue(random, story.grid, b);
  const text = `${who(story, a)} either ${did(story, b)} or ${did(story, c)}`;
  return { values: [a, b, c], holds: (one, two, three) => one === two || one === three, text };
};

const between: Draw = (random, story) => {
  const [a, b] = twoValues(random, story.grid, 'different');
  const c = otherValue(random, story.grid, b);
  const text = `${who(story, a)} came after ${who(story, b)} but before ${who(story, c)}`;
  return { values: [a, b, c], holds: (one, two, three) => two < one && one < three, text };
};

const plain: readonly Draw[] = [same, same, same, earlier, next, half, different];
const usual: readonly Draw[] = [same, same, earlier, next, oneBetween, within, half, between, either];
const indirect: readonly Draw[] = [same, different, earlier, next, oneBetween, within, half, between, either];

/** A clue that is true of `solution`, or null. */
export function drawStoryClue(
  random: Random,
  story: Story,
  level: Level,
  solution: readonly number[],
): Clue | null {
  const draws = level === 1 ? plain : level < 4 ? usual : indirect;
  const drawn = random.pick(draws)(random, story);
  return isTrueOf(drawn, solution) ? drawn : null;
}

export function clock(minutes: number): string {
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
}

export function who(story: Story, value: number): string {
  const [aspect, name] = aspectOf(story, value);
  return aspect?.who(name) ?? '';
}

function did(story: Story, value: number): string {
  const [aspect, name] = aspectOf(story, value);
  return aspect?.did(name) ?? '';
}

function aspectOf({ grid, aspects }: Story, value: number): [Aspect | undefined, string] {
  const aspect = aspects[Math.floor(value / grid.size)];
  return [aspect, aspect?.values[value % grid.size] ?? ''];
}

function at({ times }: Story, position: number): number {
  return times[position] ?? 0;
}
