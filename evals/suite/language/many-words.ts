/** Thousands of different invented words at little cost, for long texts. */
import { maxGeneratorAttempts } from '../../limits.ts';
import type { Random } from '../../random.ts';
import { isProper } from './invented-word.ts';

const onsets = 'b br d dr f fl g gr h j k kl l m n p pl r s sk sl st t tr v w y z'.split(' ');
const vowels = 'a e i o u ai ea ou'.split(' ');
const syllables = onsets.flatMap((onset) => vowels.map((vowel) => onset + vowel));
const codas = ['', ...'l m n r s x nd lt rk rn th'.split(' ')];

/** Different words in lower case. A short list has short words. */
export function inventManyWords(random: Random, count: number): string[] {
  const words = new Set<string>();
  const length = count > 200 ? 3 : 2;
  for (let attempt = 0; words.size < count; attempt += 1) {
    if (attempt > count + maxGeneratorAttempts) throw new Error('Too few invented words were found.');
    let word = random.pick(syllables) + random.pick(syllables);
    if (length === 3 && random.chance(0.5)) word += random.pick(syllables);
    word += random.pick(codas);
    if (word.length >= 4 && isProper(word)) words.add(word);
  }
  return [...words];
}

export function inventManyNames(random: Random, count: number): string[] {
  return inventManyWords(random, count).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
}
