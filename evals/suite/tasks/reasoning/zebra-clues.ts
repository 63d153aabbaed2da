/** The clues of zebra puzzles: their wording and when they are true. */
import { sentence } from '../../language/sentence.ts';
import type { Random } from '../../../random.ts';
import { otherValue, twoValues } from './grid-values.ts';
import type { Clue } from './grid.ts';
import { isTrueOf } from './grid.ts';
import type { Grid } from './solve-grid.ts';
import type { Attribute, Setting } from './zebra-surface.ts';

export interface ZebraStory {
  readonly grid: Grid;
  readonly attributes: readonly Attribute[];
  readonly setting: Setting;
}

type Draw = (random: Random, story: ZebraStory) => Clue;

const same: Draw = (random, story) => {
  const [a, b] = twoValues(random, story.grid, 'different');
  return clue([a, b], (one, two) => one === two, `${who(story, a)} and ${who(story, b)} are the same person`);
};

const different: Draw = (random, story) => {
  const [a, b] = twoValues(random, story.grid, 'different');
  return clue(
    [a, b],
    (one, two) => one !== two,
    `${who(story, a)} and ${who(story, b)} are two different people`,
  );
};

const neighbours: Draw = (random, story) => {
  const [a, b] = twoValues(random, story.grid, 'any');
  return clue(
    [a, b],
    (one, two) => Math.abs(one - two) === 1,
    `${who(story, a)} has the ${story.setting.place} right next to that of ${who(story, b)}`,
  );
};

const directlyBefore: Draw = (random, story) => {
  const [a, b] = twoValues(random, story.grid, 'any');
  return clue(
    [a, b],
    (one, two) => two === one + 1,
    `the ${story.setting.place} of ${who(story, a)} is ${story.setting.directlyBefore} that of ${who(story, b)}`,
  );
};

const before: Draw = (random, story) => {
  const [a, b] = twoValues(random, story.grid, 'any');
  return clue(
    [a, b],
    (one, two) => one < two,
    `the ${story.setting.place} of ${who(story, a)} is ${story.setting.before} that of ${who(story, b)}`,
  );
};

const apart: Draw = (random, story) => {
  const [a, b] = twoValues(random, story.grid, 'any');
  const between = random.int(1, Math.max(1, story.grid.size - 3));
  const { place } = story.setting;
  return clue(
    [a, b],
    (one, two) => Math.abs(one - two) === between + 1,
    `there ${between === 1 ? `is exactly one ${place}` : `are exactly ${between} ${place}s`} between that of ${who(story, a)} and that of ${who(story, b)}`,
  );
};

const notNear: Draw = (random, story) => {
  const [a, b] = twoValues(random, story.grid, 'different');
  return clue(
    [a, b],
    (one, two) => Math.abs(one - two) > 1,
    `${who(story, a)} and ${who(story, b)} are neither the same person nor direct neighbours`,
  );
};

const atEnd: Draw = (random, story) => {
  const [a] = twoValues(random, story.grid, 'any');
  const last = story.grid.size - 1;
  const not = random.chance(0.5);
  return clue(
    [a],
    (one) => (one === 0 || one === last) !== not,
    `the ${story.setting.place} of ${who(story, a)} is ${not ? 'not ' : ''}${story.setting.ends}`,
  );
};

const parity: Draw = (random, story) => {
  const [a] = twoValues(random, story.grid, 'any');
  const odd = random.chance(0.5);
  return clue(
    [a],
    (one) => (one % 2 === 0) === odd,
    `the ${story.setting.place} of ${who(story, a)} has an ${odd ? 'odd' : 'even'} number`,
  );
};

const numbered: Draw = (random, story) => {
  const [a] = twoValues(random, story.grid, 'any');
  const place = random.int(0, story.grid.size - 1);
  return clue([a], (one) => one === place, `${who(story, a)} has ${story.setting.place} ${place + 1}`);
};

const sum: Draw = (random, story) => {
  const [a, b] = twoValues(random, story.grid, 'any');
  const total = random.int(4, 2 * story.grid.size - 1);
  const { place } = story.setting;
  return clue(
    [a, b],
    (one, two) => one + two + 2 === total,
    `the ${place} numbers of ${who(story, a)} and ${who(story, b)} add up to ${total}`,
  );
};

const either: Draw = (random, story) => {
  const [a, b] = twoValues(random, story.grid, 'different');
  const c = otherValue(random, story.grid, b);
  return clue(
    [a, b, c],
    (one, two, three) => one === two || one === three,
    `${who(story, a)} is either ${who(story, b)} or ${who(story, c)}`,
  );
};

const between: Draw = (random, story) => {
  const [a, b] = twoValues(random, story.grid, 'any');
  const c = otherValue(random, story.grid, b);
  const { place } = story.setting;
  return clue(
    [a, b, c],
    (one, two, three) => (two < one && one < three) || (three < one && one < two),
    `the ${place} of ${who(story, a)} is somewhere between that of ${who(story, b)} and that of ${who(story, c)}`,
  );
};

const oneAtEnd: Draw = (random, story) => {
  const [a, b] = twoValues(random, story.grid, 'different');
  const last = story.grid.size - 1;
  const outer = (position: number) => position === 0 || position === last;
  return clue(
    [a, b],
    (one, two) => outer(one) !== outer(two),
    `of the ${story.setting.place}s of ${who(story, a)} and ${who(story, b)}, exactly one is ${story.setting.ends}`,
  );
};

const direct: readonly Draw[] = [same, same, different, neighbours, directlyBefore, before, atEnd, numbered];
const usual: readonly Draw[] = [same, same, neighbours, directlyBefore, before, apart, notNear, atEnd];
const someIndirect: readonly Draw[] = [notNear, parity, sum, either, between, oneAtEnd];
const indirect: readonly Draw[] = [same, different, neighbours, directlyBefore, before, apart].concat(
  someIndirect,
);

/** A clue that is true of `solution`, or null. From level 4 on none gives a position away. */
export function drawZebraClue(
  random: Random,
  story: ZebraStory,
  level: number,
  solution: readonly number[],
): Clue | null {
  const draws = level === 1 ? direct : level < 4 ? usual : indirect;
  const drawn = random.pick(draws)(random, story);
  return isTrueOf(drawn, solution) ? drawn : null;
}

function clue(values: readonly number[], holds: Clue['holds'], text: string): Clue {
  return { values, holds, text: sentence(text) };
}

function who({ grid, attributes }: ZebraStory, value: number): string {
  const attribute = attributes[Math.floor(value / grid.size)];
  return attribute?.who(attribute.values[value % grid.size] ?? '') ?? '';
}
