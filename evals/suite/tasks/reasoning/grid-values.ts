/** Draws the values that a clue of a logic grid is about. */
import type { Random } from '../../../random.ts';
import type { Grid } from './solve-grid.ts';

/** Two values, of different attributes if `kind` says so. */
export function twoValues(random: Random, grid: Grid, kind: 'any' | 'different'): [number, number] {
  const count = grid.size * grid.attributes;
  const first = random.int(0, count - 1);
  for (;;) {
    const second = random.int(0, count - 1);
    const together = Math.floor(first / grid.size) === Math.floor(second / grid.size);
    if (second !== first && !(together && kind === 'different')) return [first, second];
  }
}

/** Another value of the same attribute. */
export function otherValue(random: Random, grid: Grid, value: number): number {
  const start = value - (value % grid.size);
  const drawn = random.int(0, grid.size - 2);
  return start + (drawn >= value % grid.size ? drawn + 1 : drawn);
}
