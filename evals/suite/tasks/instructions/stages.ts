/**
 * The stages of a text whose rules change: each turn has rules of its own, and a real text that follows all of them.
 * Stages are drawn backwards, from the last one, by taking changes back.
 */
import type { Random } from '../../../random.ts';
import { acrostics, drawLineWords, type TextPlan } from './draw-text.ts';
import { areFree, type RuleName } from './rule-names.ts';

/** Rules that are read off a finished text, so that the next text cannot follow the same one. */
const localRules: ReadonlySet<RuleName> = new Set(['letter-count', 'placed-word']);
/** Rules with one form only: they come or go, but do not change. */
const fixedRules: ReadonlySet<RuleName> = new Set([
  'chain',
  'alphabetical-lines',
  'growing-lines',
  'no-word-twice',
]);
const passingRules: readonly RuleName[] = [
  'letter-avoided',
  'capital-line',
  'line-ends',
  'numbers-and-sum',
  'one-initial-per-line',
  'last-word-length',
];

export interface StageWishes {
  readonly turns: number;
  /** Changes of rules over all turns. */
  readonly changes: number;
  /** Whether one rule holds at first and is withdrawn later. */
  readonly withdrawn: boolean;
}

/** The plans of all turns, `last` included; null if a passing rule has no place. */
export function drawStages(random: Random, last: TextPlan, wishes: StageWishes): TextPlan[] | null {
  const { turns, changes } = wishes;
  const stages = [last];
  for (let turn = turns - 1; turn > 0; turn -= 1) {
    const share = Math.ceil(changes / (turns - 1));
    stages.unshift(takeBack(random, stages[0] ?? last, share));
  }
  if (!wishes.withdrawn) return stages;
  const known = new Set(stages.flatMap(({ rules }) => [...rules]));
  const passing = passingRules.filter((name) => !known.has(name) && areFree(name, known));
  if (passing.length === 0) return null;
  const name = random.pick(passing);
  const until = random.int(1, turns - 1);
  return stages.map((stage, turn) =>
    turn < until ? { ...stage, rules: new Set([...stage.rules, name]) } : stage,
  );
}

/** The stage before: without some of the rules, and with other forms of some. */
function takeBack(random: Random, { rules, choice, names }: TextPlan, count: number): TextPlan {
  const shuffled = random.shuffle([...rules]);
  const changed = new Set([
    ...shuffled.slice(0, Math.max(1, count)),
    ...shuffled.filter((name) => localRules.has(name)),
  ]);
  const kept = new Set(rules);
  let before = choice;
  for (const name of changed) {
    // The first turn keeps at least one rule.
    const goes = (fixedRules.has(name) || random.chance(0.45)) && kept.size > 1;
    if (goes) kept.delete(name);
    else if (!fixedRules.has(name)) before = { ...before, ...redraw(random, before, kept, name) };
  }
  return { rules: kept, choice: before, names };
}

/** Another form of a rule. */
function redraw(
  random: Random,
  choice: TextPlan['choice'],
  rules: ReadonlySet<RuleName>,
  name: RuleName,
): Partial<TextPlan['choice']> {
  const lineCount = choice.lineWords.length;
  const other = (from: number, low: number, high: number) =>
    random.pick(
      Array.from({ length: high - low + 1 }, (_, at) => low + at).filter((value) => value !== from),
    );
  const letter = (letters: string, from: string) =>
    random.pick(letters.split('').filter((own) => own !== from));
  switch (name) {
    case 'acrostic':
      return {
        acrostic: random.pick((acrostics[lineCount] ?? []).filter((word) => word !== choice.acrostic)),
      };
    case 'letter-avoided':
      return { avoided: letter('iotrnldcu', choice.avoided) };
    case 'one-initial-per-line':
      return { initial: letter('bcfghlmprstw', choice.initial) };
    case 'short-words':
      return { maxLength: other(choice.maxLength, 7, 9) };
    case 'last-word-length':
      return { lastLength: other(choice.lastLength, 5, 6) };
    case 'line-ends':
      return { markedLine: other(choice.markedLine, 0, lineCount - 1) };
    case 'capital-line':
      return { capitalLine: other(choice.capitalLine, 0, lineCount - 1) };
    case 'numbers-and-sum':
      return { numbers: choice.numbers.map((number) => other(number, 11, 94)) };
    case 'words-per-line':
    case 'total-words':
      return { lineWords: drawLineWords(random, rules, lineCount) };
    case 'letter-count':
    case 'placed-word':
    case 'chain':
    case 'alphabetical-lines':
    case 'growing-lines':
    case 'no-word-twice':
      return {};
  }
}
