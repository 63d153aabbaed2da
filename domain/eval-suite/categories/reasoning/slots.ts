/** Talks in hourly slots, to be ordered from clues: a generator of puzzles and a solver. */
import type { Random } from '../../random.ts';

/** A clue about the order. Talks and places are numbered from 0. */
export type Clue =
  | { readonly says: 'before'; readonly first: number; readonly second: number }
  | { readonly says: 'right-after'; readonly first: number; readonly second: number }
  | { readonly says: 'apart'; readonly first: number; readonly second: number; readonly between: number }
  | { readonly says: 'not-at'; readonly talk: number; readonly place: number }
  | { readonly says: 'neither-end'; readonly talk: number };

/** `order[place]` is the talk at that place. */
export function clueHolds(clue: Clue, order: readonly number[]): boolean {
  switch (clue.says) {
    case 'before':
      return order.indexOf(clue.first) < order.indexOf(clue.second);
    case 'right-after':
      return order.indexOf(clue.second) === order.indexOf(clue.first) + 1;
    case 'apart':
      return Math.abs(order.indexOf(clue.first) - order.indexOf(clue.second)) === clue.between + 1;
    case 'not-at':
      return order[clue.place] !== clue.talk;
    case 'neither-end':
      return order[0] !== clue.talk && order.at(-1) !== clue.talk;
  }
}

/** Every order that all the clues allow. */
export function solveSlots(talks: number, clues: readonly Clue[]): number[][] {
  const all = permutations(Array.from({ length: talks }, (_, talk) => talk));
  return all.filter((order) => clues.every((clue) => clueHolds(clue, order)));
}

/**
 * Adds clues that are true of one order until they allow no other. A clue that excludes nothing is skipped.
 */
export function makeSlots(
  random: Random,
  talks: number,
  attempts: number,
): { clues: Clue[]; order: number[] } {
  const numbers = Array.from({ length: talks }, (_, talk) => talk);
  const order = random.shuffle(numbers);
  const clues: Clue[] = [];
  let left = permutations(numbers);
  for (let attempt = 0; attempt < attempts && left.length > 1; attempt += 1) {
    const clue = makeClue(random, order);
    if (!clueHolds(clue, order)) continue;
    const remaining = left.filter((candidate) => clueHolds(clue, candidate));
    if (remaining.length === left.length) continue;
    clues.push(clue);
    left = remaining;
  }
  if (left.length !== 1) throw new Error('The clues allow more than one order.');
  return { clues: random.shuffle(clues), order };
}

function makeClue(random: Random, order: readonly number[]): Clue {
  const [first = 0, second = 1] = random.sample(order, 2);
  switch (random.pick(['before', 'right-after', 'apart', 'not-at', 'neither-end'] as const)) {
    case 'before':
      return { says: 'before', first, second };
    case 'right-after':
      return { says: 'right-after', first, second };
    case 'apart': {
      const between = Math.abs(order.indexOf(first) - order.indexOf(second)) - 1;
      return { says: 'apart', first, second, between };
    }
    case 'not-at':
      return { says: 'not-at', talk: first, place: random.int(0, order.length - 1) };
    case 'neither-end':
      return { says: 'neither-end', talk: first };
  }
}

/** 5,040 orders. */
const maxPermutedItems = 7;

/** Every order of `items`. The solver tries all of them, which proves that a solution is unique. */
export function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length > maxPermutedItems) throw new RangeError(`Too many orders of ${items.length} items.`);
  if (items.length === 0) return [[]];
  return items.flatMap((item, position) =>
    permutations(items.toSpliced(position, 1)).map((rest) => [item, ...rest]),
  );
}
