/**
 * Draws rules together with a text that follows all of them. The text comes first and the rules are derived from it, so
 * rules never contradict each other.
 */
import type { Level } from '../../ladder/ladder.ts';
import { inventNames } from '../../language/invented-word.ts';
import { plainWords, type WordPools } from '../../language/plain-words.ts';
import type { Random } from '../../../random.ts';
import { drawRuleNames, type RuleNames } from './rule-names.ts';
import { type LineWish, writeLine } from './write-line.ts';

/** What a text is written from. */
export interface TextPlan {
  readonly rules: RuleNames;
  /** Names that the text mentions. */
  readonly names: readonly string[];
  /** The choices behind the rules. */
  readonly choice: Choice;
}

export interface DrawnText extends TextPlan {
  /** As they are written, with capitals and punctuation. */
  readonly lines: readonly string[];
  /** In lower case. */
  readonly words: readonly (readonly string[])[];
}

interface Choice {
  readonly acrostic: string;
  readonly avoided: string;
  readonly initial: string;
  readonly maxLength: number;
  readonly lastLength: number;
  /** Lines are counted from 0. */
  readonly markedLine: number;
  readonly mark: '!' | '?';
  readonly capitalLine: number;
  readonly numbers: readonly number[];
  /** The number of words of each line. */
  readonly lineWords: readonly number[];
}

const lineCounts: Readonly<Record<Level, number>> = { 1: 3, 2: 3, 3: 4, 4: 5, 5: 6, 6: 7, 7: 8, 8: 9 };
/** By number of lines. */
export const acrostics: Readonly<Record<number, readonly string[]>> = {
  3: 'bag cab dog fog hat ice map mud oak pig rag sun tap web'.split(' '),
  4: 'barn calm cape dish fern gold harp lamp moss nest pond rope silk wolf'.split(' '),
  5: 'brass candy cloth dough flame grape honey lemon maple north piano storm'.split(' '),
  6: 'branch candle forest garden hammer island ladder magnet orange pepper silver winter'.split(' '),
  7: 'blanket cabinet feather gallery harvest lantern morning picture shelter villain'.split(' '),
  8: 'calendar dinosaur elephant hospital mountain notebook platform sandwich'.split(' '),
  9: 'adventure blueprint character furniture landscape newspaper orchestra'.split(' '),
};
const minLineWords = 6;
const maxLineWords = 10;

/** Null if the drawn choice allows no text. */
export function drawText(random: Random, level: Level, ruleCount: number): DrawnText | null {
  return writeText(random, drawPlan(random, level, ruleCount));
}

export function drawPlan(random: Random, level: Level, ruleCount: number): TextPlan {
  const rules = drawRuleNames(random, ruleCount);
  const choice = drawChoice(random, rules, lineCounts[level]);
  const names = inventNames(random, 2).map((name) => name.slice(0, 1) + name.slice(1).toLowerCase());
  return { rules, choice, names };
}

/** A text that follows the plan; null if none was found. */
export function writeText(random: Random, { rules, choice, names }: TextPlan): DrawnText | null {
  if (!allowsNames(rules, choice, names)) return null;
  const pools = poolsFor(rules, choice);
  const wishes = drawWishes(random, rules, choice, names);
  const words = writeLines(random, rules, pools, wishes);
  if (words === null) return null;
  const lines = words.map((line, at) => {
    const sentence = line.join(' ');
    const mark = rules.has('line-ends') && at === choice.markedLine ? choice.mark : '.';
    const text = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}${mark}`;
    return rules.has('capital-line') && at === choice.capitalLine ? text.toUpperCase() : text;
  });
  return { rules, names, lines, words: words.map((line) => line.map((word) => word.toLowerCase())), choice };
}

function drawChoice(random: Random, rules: RuleNames, lineCount: number): Choice {
  return {
    acrostic: random.pick(acrostics[lineCount] ?? []),
    avoided: random.pick('aeiotrnldcu'.split('')),
    initial: random.pick('bcfghlmprstw'.split('')),
    maxLength: random.int(6, 8),
    lastLength: random.int(5, 6),
    markedLine: random.int(0, lineCount - 1),
    mark: random.pick(['!', '?'] as const),
    capitalLine: random.int(0, lineCount - 1),
    numbers: Array.from({ length: random.int(2, 3) }, () => random.int(11, 94)),
    lineWords: drawLineWords(random, rules, lineCount),
  };
}

export function drawLineWords(random: Random, rules: RuleNames, lineCount: number): number[] {
  const least = random.int(minLineWords - 1, minLineWords + 1);
  return Array.from({ length: lineCount }, (_, at) =>
    rules.has('growing-lines') ? least + at : random.int(minLineWords, maxLineWords),
  );
}

function allowsNames(rules: RuleNames, choice: Choice, names: readonly string[]): boolean {
  return names.every((name) => {
    const lower = name.toLowerCase();
    if (rules.has('letter-avoided') && lower.includes(choice.avoided)) return false;
    if (rules.has('one-initial-per-line') && lower.startsWith(choice.initial)) return false;
    return name.length <= choice.maxLength || !rules.has('short-words');
  });
}

function poolsFor(rules: RuleNames, { avoided, maxLength }: Choice): WordPools {
  if (!rules.has('letter-avoided') && !rules.has('short-words')) return plainWords;
  const fits = (word: string) =>
    (!rules.has('letter-avoided') || !word.includes(avoided)) &&
    (!rules.has('short-words') || word.length <= maxLength);
  return {
    adjectives: plainWords.adjectives.filter(fits),
    nouns: plainWords.nouns.filter(fits),
    verbs: plainWords.verbs.filter(fits),
    adverbs: plainWords.adverbs.filter(fits),
    prepositions: plainWords.prepositions.filter(fits),
  };
}

function drawWishes(random: Random, rules: RuleNames, choice: Choice, names: readonly string[]): LineWish[] {
  const counts = choice.lineWords;
  const nameLines = random.sample([...counts.keys()], names.length);
  const numberLines = random.sample([...counts.keys()], Math.min(choice.numbers.length, counts.length));
  return counts.map((wordCount, at): LineWish => {
    const name = names[nameLines.indexOf(at)];
    const number = rules.has('numbers-and-sum') ? choice.numbers[numberLines.indexOf(at)] : undefined;
    return {
      wordCount,
      endsWithNoun: rules.has('chain'),
      ...(name === undefined ? {} : { name }),
      ...(number === undefined ? {} : { number }),
      ...(rules.has('acrostic') ? { firstLetter: choice.acrostic.charAt(at) } : {}),
      ...(rules.has('one-initial-per-line') ? { initial: choice.initial } : {}),
      ...(rules.has('last-word-length') ? { lastLength: choice.lastLength } : {}),
    };
  });
}

const attemptsPerLine = 12;

function writeLines(
  random: Random,
  rules: RuleNames,
  pools: WordPools,
  wishes: readonly LineWish[],
): string[][] | null {
  const lines: string[][] = [];
  for (const wish of wishes) {
    const before = lines.at(-1)?.at(-1);
    const isChained = rules.has('chain') && before !== undefined;
    const used = new Set(rules.has('no-word-twice') ? lines.flat().map((word) => word.toLowerCase()) : []);
    let line: string[] | null = null;
    for (let attempt = 0; attempt < attemptsPerLine && line === null; attempt += 1) {
      line = writeLine(random, pools, isChained ? { ...wish, firstWord: before } : wish, used);
    }
    if (line === null) return null;
    lines.push(line);
  }
  return rules.has('alphabetical-lines')
    ? lines.toSorted(([left = ''], [right = '']) => (left < right ? -1 : 1))
    : lines;
}
