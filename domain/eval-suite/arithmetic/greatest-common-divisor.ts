/** Euclid's algorithm, for the generators that need it. */
export function greatestCommonDivisor(left: number, right: number): number {
  let [larger, smaller] = [left, right];
  while (smaller !== 0) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}
