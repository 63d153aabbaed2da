/**
 * Words and names that no corpus holds, so that nothing about a case can have been memorised. They are built from
 * syllables, at least two of them, and keep clear of rude letter runs.
 */
import { maxGeneratorAttempts } from '../limits.ts';
import type { Random } from '../random.ts';

const onsets = 'b br d dr f fl g gl gr h j k kl kr l m n p pl pr qu r s sk sl sn st t tr v vr w y z'.split(
  ' ',
);
const vowels = 'a e i o u a e i o u ai ea ou oo'.split(' ');
const codas = ['', '', '', ...'l m n r s x nd lt rk rn sh th'.split(' ')];
const avoided =
  /fuk|fuc|kok|coc|dik|dic|nig|neg|kum|cum|tit|pis|rap|sex|naz|ass|ars|fag|jew|gay|hor|slut|shit|sh[ai]t|kil|jap|suk/;

/** One lower-case invented word of the given number of syllables. */
export function inventWord(random: Random, syllables: number = random.int(2, 3)): string {
  for (let attempt = 0; attempt < maxGeneratorAttempts; attempt += 1) {
    let word = '';
    for (let syllable = 0; syllable < syllables; syllable += 1) {
      word += random.pick(onsets) + random.pick(vowels);
      if (syllable === syllables - 1) word += random.pick(codas);
    }
    if (!avoided.test(word) && word.length >= 4) return word;
  }
  throw new Error('No invented word was found.');
}

/** `count` different invented words, none of which is contained in another. */
export function inventWords(random: Random, count: number, syllables?: number): string[] {
  const words: string[] = [];
  for (let attempt = 0; attempt < maxGeneratorAttempts && words.length < count; attempt += 1) {
    const word = inventWord(random, syllables);
    if (!words.some((other) => other.includes(word) || word.includes(other))) words.push(word);
  }
  if (words.length < count) throw new Error(`Only ${words.length} of ${count} invented words were found.`);
  return words;
}

/** One invented noun whose plural is formed by adding an s. */
export function inventNoun(random: Random): string {
  for (let attempt = 0; attempt < maxGeneratorAttempts; attempt += 1) {
    const word = inventWord(random, 2);
    if (/[lnrmdkt]$/.test(word)) return word;
  }
  throw new Error('No invented noun was found.');
}

/** `count` different invented nouns. */
export function inventNouns(random: Random, count: number): string[] {
  const nouns = new Set<string>();
  for (let attempt = 0; attempt < maxGeneratorAttempts && nouns.size < count; attempt += 1) {
    nouns.add(inventNoun(random));
  }
  return [...nouns];
}

/** `count` different invented names, each with a capital letter. */
export function inventNames(random: Random, count: number): string[] {
  return inventWords(random, count).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
}

/** One invented name. */
export function inventName(random: Random): string {
  return inventNames(random, 1).join('');
}
