/**
 * Logic grids: every value of every attribute has one position, and clues restrict the positions of one to three
 * values. A puzzle is generated from its solution: as long as another solution may exist, a clue that excludes it is
 * added. Then redundant clues are removed.
 */
import { maxGeneratorAttempts } from '../../../limits.ts';
import type { Random } from '../../../random.ts';
import type { Grid, Rule, Search } from './solve-grid.ts';
import { findOther } from './solve-grid.ts';

export interface Clue {
  /** One to three values, numbered attribute by attribute: `attribute * size + index`. */
  readonly values: readonly number[];
  /** Whether the clue is true of these positions, counted from 0, in the order of `values`. */
  readonly holds: (first: number, second: number, third: number) => boolean;
  readonly text: string;
}

export interface Puzzle extends Grid {
  /** The position of each value. */
  readonly solution: readonly number[];
  readonly clues: readonly Clue[];
}

/**
 * The limit on the search that proves a solution unique. It keeps generation cheap, and puzzles solvable by trying out
 * cases.
 */
const maxProofNodes = 10;

/** Fewer clues per value are hardly ever enough, so these are drawn without a search. */
const leastCluesAValue = 0.8;
const unsure: Search = { found: 'unsure' };

/** @param drawClue draws any clue that is true of the solution; null if the draw failed */
export function makePuzzle(
  random: Random,
  grid: Grid,
  drawClue: (solution: readonly number[]) => Clue | null,
): Puzzle {
  const places = Array.from({ length: grid.size }, (_, place) => place);
  const solution = Array.from({ length: grid.attributes }, () => random.shuffle(places)).flat();
  const clues: Clue[] = [];
  const rules: Rule[] = [];
  const certain = Math.floor(grid.size * grid.attributes * leastCluesAValue);
  for (let draws = 0; ; draws += 1) {
    const other = clues.length < certain ? unsure : findOther(grid, rules, solution, maxProofNodes);
    if (other.found === 'none') break;
    for (;;) {
      if ((draws += 1) > maxGeneratorAttempts * 10) throw new Error('No clue tells two solutions apart.');
      const clue = drawClue(solution);
      if (clue === null || (other.found === 'other' && isTrueOf(clue, other.positions))) continue;
      clues.push(clue);
      rules.push(ruleOf(grid, clue));
      break;
    }
  }
  return { ...grid, solution, clues: withoutSuperfluous(random, grid, solution, clues, rules) };
}

function withoutSuperfluous(
  random: Random,
  grid: Grid,
  solution: readonly number[],
  clues: readonly Clue[],
  rules: readonly Rule[],
): Clue[] {
  const isKept = clues.map(() => true);
  for (const index of random.shuffle([...clues.keys()])) {
    isKept[index] = false;
    const rest = rules.filter((_, other) => isKept[other]);
    if (findOther(grid, rest, solution, maxProofNodes).found !== 'none') isKept[index] = true;
  }
  return clues.filter((_, index) => isKept[index]);
}

export function isTrueOf({ values, holds }: Clue, positions: readonly number[]): boolean {
  const [first = 0, second = 0, third = 0] = values.map((value) => positions[value] ?? 0);
  return holds(first, second, third);
}

function ruleOf({ size }: Grid, { values, holds }: Clue): Rule {
  const masks: number[] = [];
  for (let one = 0; one < size; one += 1) {
    for (let two = 0; two < size; two += 1) {
      let mask = 0;
      for (let last = 0; last < size; last += 1) {
        const fits =
          values.length === 3 ? holds(one, two, last) : two === 0 && holdsUpToTwo(values, holds, one, last);
        if (fits) mask |= 1 << last;
      }
      masks.push(mask);
    }
  }
  return { values, masks };
}

function holdsUpToTwo(values: Clue['values'], holds: Clue['holds'], one: number, last: number): boolean {
  return values.length === 2 ? holds(one, last, 0) : one === last && holds(one, 0, 0);
}
