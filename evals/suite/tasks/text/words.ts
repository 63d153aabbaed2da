/** The material of the text tasks: invented words, and properties of words that can be asked for. */
import { inventWord } from '../../language/invented-word.ts';
import type { Level } from '../../ladder/ladder.ts';
import type { Random } from '../../../random.ts';

/** Words of a text, by level. */
export const wordCounts: Readonly<Record<Level, number>> = {
  1: 20,
  2: 60,
  3: 150,
  4: 400,
  5: 800,
  6: 1000,
  7: 1200,
  8: 1400,
};

/** Different words. */
export function inventVocabulary(random: Random, count: number): string[] {
  const words = new Set<string>();
  while (words.size < count) words.add(inventWord(random));
  return [...words];
}

export interface Property {
  /** Completes "the words that …". */
  readonly text: string;
  readonly holds: (word: string) => boolean;
}

const vowels = 'aeiou';
const commonLetters = 'abdefgiklmnoprstuy';

/** A property that some words have and others do not. */
export function drawProperty(random: Random): Property {
  const letter = random.pick(commonLetters.split(''));
  const length = random.int(5, 8);
  return random.pick<Property>([
    { text: `contain the letter "${letter}"`, holds: (word) => word.includes(letter) },
    { text: `do not contain the letter "${letter}"`, holds: (word) => !word.includes(letter) },
    { text: `have at least ${length} letters`, holds: (word) => word.length >= length },
    { text: `have fewer than ${length} letters`, holds: (word) => word.length < length },
    { text: 'have an even number of letters', holds: (word) => word.length % 2 === 0 },
    { text: 'have an odd number of letters', holds: (word) => word.length % 2 === 1 },
    { text: 'end in a vowel (a, e, i, o or u)', holds: (word) => isVowel(word.at(-1)) },
    { text: 'do not end in a vowel (a, e, i, o or u)', holds: (word) => !isVowel(word.at(-1)) },
    {
      text: `contain "${letter}" more than once`,
      holds: (word) => word.split(letter).length > 2,
    },
    { text: 'begin with a letter from a to m', holds: (word) => word < 'n' },
    { text: 'begin with a letter from n to z', holds: (word) => word >= 'n' },
  ]);
}

export function countVowels(word: string): number {
  let count = 0;
  for (let place = 0; place < word.length; place += 1) if (vowels.includes(word.charAt(place))) count += 1;
  return count;
}

function isVowel(letter: string | undefined): boolean {
  return letter !== undefined && vowels.includes(letter);
}
