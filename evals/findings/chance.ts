/** How likely a difference between two groups is by chance. */
import { logChoose } from '#evals/own-suite/statistics.ts';

/** A rule says what it sees only where chance would show it in less than one of 200 runs. */
export const chanceMax = 0.005;

/**
 * The probability that at least as many of the failures fall into the first group if the groups do not differ: the
 * one-sided exact test of R. A. Fisher. Trials of a case are not independent, so only the first of each group counts.
 */
export function chanceOfSplit<Item extends { readonly id: string }>(
  firstTrials: readonly Item[],
  secondTrials: readonly Item[],
  isFailed: (item: Item) => boolean,
): number {
  const [first, second] = [firstOfEach(firstTrials), firstOfEach(secondTrials)];
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

/** The first trial of each case. */
export function firstOfEach<Item extends { readonly id: string }>(items: readonly Item[]): readonly Item[] {
  const first = new Map<string, Item>();
  for (const item of items) if (!first.has(item.id)) first.set(item.id, item);
  return [...first.values()];
}
