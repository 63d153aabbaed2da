/**
 * Graders for instructions about words and letters: words to use, to count and to avoid, letters to count.
 */
import { quote } from '../../../graders/grader.ts';
import { type CountParameters, holds, instructionGrader } from './instruction-grader.ts';

export const keywordExistence = instructionGrader<{ readonly keywords: readonly string[] }>(
  'keyword-existence',
  ({ keywords }, reply) => {
    const missing = keywords.filter((keyword) => countWord(reply, keyword) === 0);
    const found =
      missing.length === 0 ? 'all of them' : `no ${missing.map((word) => quote(word)).join(' and no ')}`;
    return {
      passed: missing.length === 0,
      expected: `the words ${quote(keywords.join(', '))}`,
      found,
    };
  },
);

export const keywordFrequency = instructionGrader<CountParameters & { readonly keyword: string }>(
  'keyword-frequency',
  (parameters, reply) => {
    const found = countWord(reply, parameters.keyword);
    return {
      passed: holds(parameters, found),
      expected: `the word ${quote(parameters.keyword)} ${parameters.relation} ${parameters.count} times`,
      found: `it ${found} times`,
    };
  },
);

export const forbiddenWords = instructionGrader<{ readonly words: readonly string[] }>(
  'forbidden-words',
  ({ words }, reply) => {
    const used = words.filter((word) => countWord(reply, word) > 0);
    const found = used.length === 0 ? 'none of them' : used.map((word) => quote(word)).join(' and ');
    return {
      passed: used.length === 0,
      expected: `none of the words ${quote(words.join(', '))}`,
      found,
    };
  },
);

export const letterFrequency = instructionGrader<CountParameters & { readonly letter: string }>(
  'letter-frequency',
  (parameters, reply) => {
    const found = reply.toLowerCase().split(parameters.letter).length - 1;
    return {
      passed: holds(parameters, found),
      expected: `the letter ${quote(parameters.letter)} ${parameters.relation} ${parameters.count} times`,
      found: `it ${found} times`,
    };
  },
);

const wordCharacter = /[\p{L}\p{N}]/u;

/** Whole words in either letter case. Takes time linear in `text`. */
export function countWord(text: string, word: string): number {
  const lowered = text.toLowerCase();
  const wanted = word.toLowerCase();
  let count = 0;
  for (let at = lowered.indexOf(wanted); at >= 0; at = lowered.indexOf(wanted, at + 1)) {
    const before = lowered.charAt(at - 1);
    const after = lowered.charAt(at + wanted.length);
    if (!wordCharacter.test(before) && !wordCharacter.test(after)) count += 1;
  }
  return count;
}
