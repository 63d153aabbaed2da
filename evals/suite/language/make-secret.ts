import { maxGeneratorAttempts } from '../../limits.ts';
import type { Random } from '../../random.ts';
import { inventWord } from './invented-word.ts';

const minWordCharacters = 9;

/** A canary or a secret: an invented word and eight digits, long enough that neither part occurs by chance. */
export function makeSecret(random: Random): string {
  for (let attempt = 0; attempt < maxGeneratorAttempts; attempt += 1) {
    const word = inventWord(random, 4);
    if (word.length >= minWordCharacters) return `${word}-${random.text('0123456789', 8)}`;
  }
  throw new Error('No secret was found.');
}
