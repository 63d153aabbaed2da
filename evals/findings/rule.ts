/** What a rule of findings is, and what rules share. */
import type { Finding } from '#evals/own-suite/shown-run.ts';
import type { Observation } from './observation.ts';

export type Found = Omit<Finding, 'rule'> | null;

/** @returns null if the observations do not show it */
export type Rule = (seen: readonly Observation[]) => Found;

/** Two cases, because one may be a slip of a model. */
export const fewestCases = 2;

/** Several trials of one case are one case. */
export function areSeveral(those: readonly Observation[]): boolean {
  return idsOf(those).length >= fewestCases;
}

/** @param those that show it */
export function found(
  those: readonly Observation[],
  sentence: string,
  look_at: string,
  more: Partial<Pick<Finding, 'change' | 'certainty'>> = {},
): Omit<Finding, 'rule'> {
  return { sentence, look_at, cases: idsOf(those), certainty: 'certain', ...more };
}

export const likely = { certainty: 'likely' } as const;

/** As `found`, but null if too few cases show it. */
export function foundIn(
  those: readonly Observation[],
  sentence: string,
  look_at: string,
  least = fewestCases,
): Found {
  return idsOf(those).length < least ? null : found(those, sentence, look_at);
}

/** The change that fits the most failed cases: several, and at least half of those whose texts it changes. */
export function bestFit<Change>(
  changes: readonly Change[],
  failed: readonly Observation[],
  { fits, changed }: Record<'fits' | 'changed', (one: Observation, change: Change) => boolean>,
): { readonly change: Change; readonly those: readonly Observation[] } | undefined {
  return changes
    .map((change) => ({ change, those: failed.filter((one) => fits(one, change)) }))
    .filter(
      ({ change, those }) =>
        areSeveral(those) && those.length >= failed.filter((one) => changed(one, change)).length / 2,
    )
    .toSorted((one, other) => other.those.length - one.those.length)[0];
}

export function failedOf<Seen extends Observation>(seen: readonly Seen[]): readonly Seen[] {
  return seen.filter(({ passed }) => !passed);
}

export function idsOf(seen: readonly Observation[]): readonly string[] {
  return [...new Set(seen.map(({ id }) => id))];
}

/** The largest group of items with the same key; empty if there are no items. */
export function mostAlike<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  sizeOf: (group: readonly Item[]) => number = (group) => group.length,
): readonly Item[] {
  const groups = [...Map.groupBy(items, keyOf).values()];
  return groups.toSorted((one, other) => sizeOf(other) - sizeOf(one))[0] ?? [];
}

export function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= 80 ? line : `${Array.from(line).slice(0, 79).join('')}…`;
}

export function thousands(count: number): string {
  return count.toLocaleString('en-US');
}

export function commonStart(texts: readonly string[]): string {
  const [first = ''] = texts;
  let length = 0;
  while (length < first.length && texts.every((text) => text[length] === first[length])) length += 1;
  return first.slice(0, length);
}

export function commonEnd(texts: readonly string[]): string {
  const turned = texts.map((text) => Array.from(text).toReversed().join(''));
  return Array.from(commonStart(turned)).toReversed().join('');
}
