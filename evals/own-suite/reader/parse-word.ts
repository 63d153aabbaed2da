/** Reads one word or a short name. Words that doubt, deny or join are never part of a name. */
import type { Parse } from './answer.ts';

const maxCharacters = 80;
const maxWords = 4;
const word = /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}'’.&/-]*[\p{L}\p{N}\p{M}])?$/u;
const refused =
  /^(?:or|and|either|neither|nor|maybe|perhaps|possibly|probably|likely|not|no|none|never|except|but|if|is|are|was|were|it|it's|that|that's|this|i|we|you|he|she|they|because|since|so|then|than|about|wait|actually|as|with|by|from|above|below|out|up|here|there|to|for|do|did|has|have|had|be|been|my|your|our)$/iu;

/** Names of parts of a reply. */
const labels = /^(?:(?:final )?(?:answer|result|solution|output|response)|explanation|reasoning)$/i;

/**
 * A single word may be any word, including `no` and `none`; a name with several words may not contain the rejected
 * ones.
 */
export const parseWord: Parse = (text) => {
  if (text.length > maxCharacters) return null;
  const words = text.split(/ +/);
  if (labels.test(text) || words.length > maxWords || !words.every((part) => word.test(part))) return null;
  if (words.length > 1 && words.some((part) => refused.test(part))) return null;
  return words.join(' ');
};

/** Headings, fillers and verdicts of one word, which are not an answer on their own line. */
const fillers =
  /^(?:sure|certainly|absolutely|okay|ok|alright|great|done|thanks|cheers|explanation|reasoning|solution|steps?|working|work|note|notes|summary|analysis|answer|result|output|final|response|conclusion|verification|check|correct|right|exactly|understood|hello|hi|hey|text|plaintext|json|markdown|because|therefore|so|thus|hence|best|regards|question|task|approach|method|details|confidence|sources?)$/iu;

export function isFiller(text: string): boolean {
  return fillers.test(text);
}
