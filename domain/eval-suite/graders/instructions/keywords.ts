/** Graders for the keyword instructions: words to use, to count, to avoid, and letters to count. */
import { quote } from '../quote.ts';
import { countWord } from './count-word.ts';
import { instructionGrader } from './instruction-grader.ts';
import { holds } from './relation.ts';
import type { CountParameters } from './relation.ts';

export const keywordExistence = instructionGrader<{ readonly keywords: readonly string[] }>(
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
  (parameters, reply) => {
    const found = countWord(reply, parameters.keyword);
    return {
      passed: holds(parameters, found),
      expected: `the word ${quote(parameters.keyword)} ${parameters.relation} ${parameters.count} times`,
      found: `it ${found} times`,
    };
  },
);

export const forbiddenWords = instructionGrader<{ readonly words: readonly string[] }>(({ words }, reply) => {
  const used = words.filter((word) => countWord(reply, word) > 0);
  const found = used.length === 0 ? 'none of them' : used.map((word) => quote(word)).join(' and ');
  return {
    passed: used.length === 0,
    expected: `none of the words ${quote(words.join(', '))}`,
    found,
  };
});

export const letterFrequency = instructionGrader<CountParameters & { readonly letter: string }>(
  (parameters, reply) => {
    const found = reply.toLowerCase().split(parameters.letter).length - 1;
    return {
      passed: holds(parameters, found),
      expected: `the letter ${quote(parameters.letter)} ${parameters.relation} ${parameters.count} times`,
      found: `it ${found} times`,
    };
  },
);
