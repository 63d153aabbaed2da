/** How likely a difference between two groups is by chance. */
import { logChoose } from '#evals/own-suite/statistics.ts';

/** A rule says what it sees only where chance would show it in less than one of 200 runs. */
export const chanceMax = 0.005;

/**
 * The probability that at least as many of the failures fall into the first group if the groups do not differ: the
 * one-sided exact test of R. A. Fisher.
 */
export function chanceOfSplit<Item>(
  first: readonly Item[],
  second: readonly Item[],
  isFailed: (item: Item) => boolean,
): number {
  const here = first.filter(isFailed).length;
  const failed = here + second.filter(isFailed).length;
  const whole = logChoose(first.length + second.length, failed);
  let chance = 0;
  for (let count = here; count <= Math.min(first.length, failed); count += 1) {
    if (failed - count > second.length) continue;
    chance += Math.exp(logChoose(first.length, count) + logChoose(second.length, failed - count) - whole);
  }
  return Math.min(1, chance);
}
