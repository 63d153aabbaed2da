/** The combinations of rules that a text may have. */
import type { Random } from '../../../random.ts';

const ruleNames = [
  'acrostic',
  'chain',
  'alphabetical-lines',
  'words-per-line',
  'growing-lines',
  'total-words',
  'letter-avoided',
  'letter-count',
  'short-words',
  'no-word-twice',
  'placed-word',
  'one-initial-per-line',
  'last-word-length',
  'line-ends',
  'capital-line',
  'numbers-and-sum',
] as const;

export type RuleName = (typeof ruleNames)[number];
export type RuleNames = ReadonlySet<RuleName>;

/** Pairs that contradict each other, or of which one follows from the other. */
const conflicts: readonly (readonly [RuleName, RuleName])[] = [
  ['acrostic', 'chain'],
  ['acrostic', 'alphabetical-lines'],
  ['chain', 'alphabetical-lines'],
  ['chain', 'no-word-twice'],
  ['words-per-line', 'growing-lines'],
  ['words-per-line', 'total-words'],
];

export function drawRuleNames(random: Random, count: number): RuleNames {
  const chosen = new Set<RuleName>();
  for (const name of random.shuffle(ruleNames)) {
    if (chosen.size === count) break;
    if (areFree(name, chosen)) chosen.add(name);
  }
  return chosen;
}

/** Whether a rule goes together with all of the others. */
export function areFree(name: RuleName, others: RuleNames): boolean {
  return conflicts.every(
    ([left, right]) => !(left === name && others.has(right)) && !(right === name && others.has(left)),
  );
}
