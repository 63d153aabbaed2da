/** Derives rules from a drawn text. */
import type { Random } from '../../../random.ts';
import type { DrawnText } from './draw-text.ts';
import type { RuleName } from './rule-names.ts';
import { type Demand, type Rule, wordRule } from './rule.ts';
import * as rules from './rules.ts';

/** The rules of `text` in random order, each in a wording of its own; null if one of them is trivial. */
export function readRules(random: Random, text: DrawnText): Rule[] | null {
  const read = [...text.rules].flatMap((name) => {
    const demand = readDemand(random, text, name);
    return demand === null ? [] : [wordRule(random, demand)];
  });
  return read.length === text.rules.size ? random.shuffle(read) : null;
}

function readDemand(random: Random, text: DrawnText, name: RuleName): Demand | null {
  const { choice, words } = text;
  switch (name) {
    case 'acrostic':
      return rules.acrostic(choice.acrostic);
    case 'chain':
      return rules.chain();
    case 'alphabetical-lines':
      return rules.alphabetical();
    case 'words-per-line':
      return rules.wordsPerLine(words.map((line) => line.length));
    case 'growing-lines':
      return rules.increasing();
    case 'total-words':
      return rules.totalWords(words.flat().length);
    case 'letter-avoided':
      return rules.withoutLetter(choice.avoided);
    case 'letter-count':
      return readLetterCount(random, text);
    case 'short-words':
      return rules.maxWordLength(choice.maxLength);
    case 'no-word-twice':
      return rules.noRepeats();
    case 'placed-word':
      return readPlacedWord(random, text);
    case 'one-initial-per-line':
      return rules.onePerLine(choice.initial);
    case 'last-word-length':
      return rules.lastWordLength(choice.lastLength);
    case 'line-ends':
      return rules.lineMarks(choice.markedLine + 1, choice.mark);
    case 'capital-line':
      return rules.capitalLine(choice.capitalLine + 1);
    case 'numbers-and-sum':
      return rules.numberSum(
        choice.numbers.length,
        choice.numbers.reduce((left, right) => left + right, 0),
      );
  }
}

/** A letter that is neither so rare that counting is easy nor so frequent that nobody could count it. */
function readLetterCount(random: Random, { words, choice }: DrawnText): Demand | null {
  const all = words.flat();
  const letters = 'abcdfghklmpuvwy'
    .split('')
    .filter((letter) => letter !== choice.avoided)
    .map((letter) => ({ letter, count: rules.countLetter(all, letter) }))
    .filter(({ count }) => count >= 3 && count <= 9);
  if (letters.length === 0) return null;
  const { letter, count } = random.pick(letters);
  return rules.letterCount(letter, count);
}

/** A word that no other rule fixes, away from the ends of its line. */
function readPlacedWord(random: Random, { words, names }: DrawnText): Demand | null {
  const known = new Set(names.map((name) => name.toLowerCase()));
  const places = words.flatMap((line, at) =>
    line.flatMap((word, place) =>
      place > 0 && place < line.length - 1 && word.length > 3 && !/\d/.test(word) && !known.has(word)
        ? [{ line: at + 1, place: place + 1, word }]
        : [],
    ),
  );
  if (places.length === 0) return null;
  const { line, place, word } = random.pick(places);
  return rules.placedWord(line, place, word);
}
