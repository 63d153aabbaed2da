/** Reverse a line: its words, its letters, or the letters of each word. */
import { answerText } from '../../graders/answer-text.ts';
import { graderSpec } from '../../graders/grader.ts';
import type { CaseDraft, Difficulty } from '../../eval-case.ts';
import { askForAnswer } from '../../language/ask-for-answer.ts';
import { inventWords } from '../../language/invented-word.ts';
import { byDifficulty } from '../../language/spread-difficulties.ts';
import type { Random } from '../../random.ts';

const reverseText = (text: string): string => Array.from(text).toReversed().join('');

const ways = [
  {
    text: 'Write the words of the line in reverse order; leave each word as it is.',
    apply: (words: readonly string[]) => words.toReversed().join(' '),
  },
  {
    text: 'Write the whole line backwards, character by character; spaces are characters too.',
    apply: (words: readonly string[]) => reverseText(words.join(' ')),
  },
  {
    text: 'Write each word of the line backwards; keep the words in their places.',
    apply: (words: readonly string[]) => words.map(reverseText).join(' '),
  },
];

export function makeReverse(random: Random, difficulty: Difficulty): CaseDraft {
  const words = inventWords(random, byDifficulty(difficulty, 3, 6, 10));
  const way = random.pick(ways);
  const line = words.join(' ');
  const expected = way.apply(words);
  const text = random.pick([
    `${way.text} The line: ${line}`,
    `Here is a line of words:\n\n${line}\n\n${way.text}`,
  ]);
  return {
    kind: 'reverse',
    difficulty,
    prompt: `${text}\n\n${askForAnswer(random, 'the reversed line')}`,
    graders: [graderSpec(answerText, { expected, caseSensitive: true })],
    scoring: 'weighted',
    expected,
  };
}
