/** Every order of a few items; the solvers go through all of them, which is what proves an answer unique. */

/** Largest number of items, 5,040 orders. */
const maxItems = 7;

export function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length > maxItems) throw new RangeError(`Too many orders of ${items.length} items.`);
  if (items.length === 0) return [[]];
  return items.flatMap((item, position) =>
    permutations(items.toSpliced(position, 1)).map((rest) => [item, ...rest]),
  );
}
