/** Count letters or words in a line of invented words. */
import { answerNumber } from '../../graders/answer-number.ts';
import { graderSpec } from '../../graders/grader.ts';
import type { CaseDraft, Difficulty } from '../../eval-case.ts';
import { askForNumber } from '../../language/ask-for-answer.ts';
import { inventWords } from '../../language/invented-word.ts';
import { byDifficulty } from '../../language/spread-difficulties.ts';
import type { Random } from '../../random.ts';

interface Question {
  readonly text: string;
  readonly count: number;
}

export function makeCount(random: Random, difficulty: Difficulty): CaseDraft {
  const pool = inventWords(random, byDifficulty(difficulty, 8, 14, 24));
  const words = Array.from({ length: pool.length + random.int(4, 12) }, () => random.pick(pool));
  const question = random.pick([countLetter, countWord, countLonger, countWithLetter])(random, words);
  const line = words.join(' ');
  const text = random.pick([
    `Read this line:\n\n${line}\n\n${question.text}`,
    `${question.text} The line is:\n\n${line}`,
  ]);
  const expected = String(question.count);
  return {
    kind: 'count',
    difficulty,
    prompt: `${text}\n\n${askForNumber(random)}`,
    graders: [graderSpec(answerNumber, { expected, units: ['words', 'times'] })],
    scoring: 'weighted',
    expected,
  };
}

function countLetter(random: Random, words: readonly string[]): Question {
  const letters = Array.from(words.join(''));
  const letter = random.pick(letters);
  const count = letters.filter((other) => other === letter).length;
  return { text: `How many times does the letter "${letter}" occur in the line?`, count };
}

function countWord(random: Random, words: readonly string[]): Question {
  const word = random.pick(words);
  const count = words.filter((other) => other === word).length;
  return { text: `How many times does the word "${word}" occur in the line?`, count };
}

function countLonger(random: Random, words: readonly string[]): Question {
  const length = random.int(4, 7);
  const count = words.filter((word) => word.length > length).length;
  return {
    text: `How many words of the line have more than ${length} letters? Count a word as often as it occurs.`,
    count,
  };
}

function countWithLetter(random: Random, words: readonly string[]): Question {
  const letter = random.pick(Array.from(words.join('')));
  const count = words.filter((word) => word.includes(letter)).length;
  return {
    text: `How many words of the line contain the letter "${letter}" at least once? Count a word as often as it occurs.`,
    count,
  };
}
