/** Words that no corpus contains. */
import type { Random } from '#evals/random.ts';

const onsets = 'b br d dr f gl g j k kl l m n p pr r s sk st t tr v w y z'.split(' ');
const vowels = 'a e i o u ai ou'.split(' ');
const codas = ['', '', 'l', 'm', 'n', 'r', 'x', 'nd', 'lt', 'rk'];

export function inventWord(random: Random, syllables: number = random.int(2, 3)): string {
  const parts = Array.from({ length: syllables }, () => random.pick(onsets) + random.pick(vowels));
  // A last syllable that no common word has.
  return `${parts.join('')}v${random.pick(vowels)}${random.pick(codas)}`;
}

export function inventName(random: Random): string {
  const word = inventWord(random);
  return word.charAt(0).toUpperCase() + word.slice(1);
}
