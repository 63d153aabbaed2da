/**
 * Counts the solutions of a logic grid in another way than the generator: as clauses over "this value is at that
 * position", by unit propagation and case distinction, without a limit.
 */
import type { Puzzle } from '#evals/suite/tasks/reasoning/grid.ts';

/** A clause as literals: `n` for variable n true, `-n` for false. */
type Clause = readonly number[];

export function countSolutions({ size, attributes, clues }: Puzzle, limit: number): number {
  const places = Array.from({ length: size }, (_, place) => place);
  const variable = (value: number, place: number) => 1 + value * size + place;
  const clauses: Clause[] = [];
  for (let value = 0; value < size * attributes; value += 1) {
    clauses.push(places.map((place) => variable(value, place)));
    const first = value - (value % size);
    for (const place of places) {
      for (const other of places)
        if (other > place) clauses.push([-variable(value, place), -variable(value, other)]);
      for (let other = first; other < value; other += 1)
        clauses.push([-variable(value, place), -variable(other, place)]);
    }
  }
  for (const { values, holds } of clues) {
    const [one = 0, two = 0, three = 0] = values;
    for (const first of places) {
      for (const second of values.length > 1 ? places : [0]) {
        for (const third of values.length > 2 ? places : [0]) {
          if (holds(first, second, third)) continue;
          const literals = [-variable(one, first), -variable(two, second), -variable(three, third)];
          clauses.push(literals.slice(0, values.length));
        }
      }
    }
  }
  return count(clauses, new Int8Array(1 + size * size * attributes), limit);
}

/** The models of `clauses` that extend `assigned` (1 true, -1 false, 0 open), up to `limit`. */
function count(clauses: readonly Clause[], assigned: Int8Array, limit: number): number {
  const open: Clause[] = [];
  for (let changed = true; changed;) {
    changed = false;
    open.length = 0;
    for (const clause of clauses) {
      let undecided = 0;
      let last = 0;
      let isMet = false;
      for (const literal of clause) {
        const value = assigned[Math.abs(literal)] ?? 0;
        if (value === 0) {
          undecided += 1;
          last = literal;
        } else if (value > 0 === literal > 0) isMet = true;
      }
      if (isMet) continue;
      if (undecided === 0) return 0;
      if (undecided === 1) {
        assigned[Math.abs(last)] = Math.sign(last);
        changed = true;
      } else open.push(clause);
    }
  }
  const shortest = open.reduce<Clause | null>(
    (best, clause) => (best === null || clause.length < best.length ? clause : best),
    null,
  );
  const literal = shortest?.find((candidate) => assigned[Math.abs(candidate)] === 0);
  if (literal === undefined) return 1;
  let found = 0;
  for (const sign of [1, -1]) {
    const next = assigned.slice();
    next[Math.abs(literal)] = sign * Math.sign(literal);
    found += count(open, next, limit - found);
    if (found >= limit) break;
  }
  return found;
}
