/** Earlier versions of amended rules: the same kind of rule, in a form that the final text breaks. */
import type { Random } from '../../random.ts';
import { acrostics, type DrawnText } from './draw-text.ts';
import type { RuleName } from './rule-names.ts';
import type { Rule } from './rule.ts';
import * as rules from './rules.ts';

/** Null for rules that have only one form. */
export function drawStaleRule(random: Random, text: DrawnText, name: RuleName): Rule | null {
  const { choice, words, lines } = text;
  const other = (from: number, low: number, high: number) =>
    random.pick(
      Array.from({ length: high - low + 1 }, (_, at) => low + at).filter((value) => value !== from),
    );
  switch (name) {
    case 'acrostic':
      return rules.acrostic(
        random.pick((acrostics[lines.length] ?? []).filter((word) => word !== choice.acrostic)),
      );
    case 'words-per-line':
      return rules.wordsPerLine(words.map((line) => other(line.length, 4, 11)));
    case 'total-words': {
      const total = words.flat().length;
      return rules.totalWords(other(total, total - 6, total + 6));
    }
    case 'letter-avoided':
      return rules.withoutLetter(random.pick(usedLetters(words, 'aeiotrnl', choice.avoided)));
    case 'letter-count': {
      const letter = random.pick(usedLetters(words, 'bcdfghkmpuwy', choice.avoided));
      const count = rules.countLetter(words.flat(), letter);
      return rules.letterCount(letter, other(count, 2, 9));
    }
    case 'short-words':
      return rules.maxWordLength(choice.maxLength - random.int(1, 2));
    case 'one-initial-per-line':
      return rules.onePerLine(
        random.pick('bcfghlmprstw'.split('').filter((letter) => letter !== choice.initial)),
      );
    case 'last-word-length':
      return rules.lastWordLength(other(choice.lastLength, 4, 7));
    case 'line-ends':
      return lines.length < 2
        ? null
        : rules.lineMarks(other(choice.markedLine + 1, 1, lines.length), choice.mark);
    case 'capital-line':
      return lines.length < 2 ? null : rules.capitalLine(other(choice.capitalLine + 1, 1, lines.length));
    case 'numbers-and-sum': {
      const sum = choice.numbers.reduce((left, right) => left + right, 0);
      return rules.numberSum(choice.numbers.length, other(sum, sum - 30, sum + 30));
    }
    case 'placed-word':
    case 'chain':
    case 'alphabetical-lines':
    case 'growing-lines':
    case 'no-word-twice':
      return null;
  }
}

function usedLetters(words: readonly (readonly string[])[], letters: string, avoided: string): string[] {
  const all = words.flat().join('');
  return letters.split('').filter((letter) => letter !== avoided && all.includes(letter));
}
