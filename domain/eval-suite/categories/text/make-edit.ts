/** Apply a sequence of edits to a line of words. */
import { answerText } from '../../graders/answer-text.ts';
import { graderSpec } from '../../graders/grader.ts';
import type { CaseDraft, Difficulty } from '../../eval-case.ts';
import { askForAnswer } from '../../language/ask-for-answer.ts';
import { inventWord, inventWords } from '../../language/invented-word.ts';
import { byDifficulty } from '../../language/spread-difficulties.ts';
import type { Random } from '../../random.ts';

interface Edit {
  readonly text: string;
  readonly after: readonly string[];
}

export function makeEdit(random: Random, difficulty: Difficulty): CaseDraft {
  const words = inventWords(random, byDifficulty(difficulty, 5, 7, 10), 2);
  const steps: Edit[] = [];
  const makers = random.shuffle([
    replaceWord,
    swapWords,
    deleteWord,
    capitalise,
    appendWord,
    moveWord,
    doubleWord,
  ]);
  for (const make of makers.slice(0, byDifficulty(difficulty, 2, 4, 6))) {
    steps.push(make(random, steps.at(-1)?.after ?? words));
  }
  const expected = (steps.at(-1)?.after ?? words).join(' ');
  const list = steps.map((step, position) => `${position + 1}. ${step.text}`).join('\n');
  const opening = random.pick([
    'Apply these edits to the line below, one after the other; each works on the outcome of the one before. Words are counted from 1, from the left.',
    'Edit the line step by step. Every step starts from what the step before it left. The first word has position 1.',
  ]);
  return {
    kind: 'edit',
    difficulty,
    prompt: `${opening}\n\nLine: ${words.join(' ')}\n\n${list}\n\n${askForAnswer(random, 'the final line')}`,
    graders: [graderSpec(answerText, { expected, caseSensitive: true })],
    scoring: 'weighted',
    expected,
  };
}

function replaceWord(random: Random, words: readonly string[]): Edit {
  const position = random.int(1, words.length);
  const replacement = inventWord(random, 2);
  return {
    text: `Replace the word at position ${position} with "${replacement}".`,
    after: words.with(position - 1, replacement),
  };
}

function swapWords(random: Random, words: readonly string[]): Edit {
  const [first = 0, second = 1] = random.sample([...words.keys()], 2);
  const after = words.with(first, words[second] ?? '').with(second, words[first] ?? '');
  return { text: `Swap the words at positions ${first + 1} and ${second + 1}.`, after };
}

function deleteWord(random: Random, words: readonly string[]): Edit {
  const position = random.int(1, words.length);
  return { text: `Delete the word at position ${position}.`, after: words.toSpliced(position - 1, 1) };
}

function capitalise(random: Random, words: readonly string[]): Edit {
  const position = random.int(1, words.length);
  return {
    text: `Write the word at position ${position} in capital letters.`,
    after: words.with(position - 1, (words[position - 1] ?? '').toUpperCase()),
  };
}

function appendWord(random: Random, words: readonly string[]): Edit {
  const word = inventWord(random, 2);
  return random.chance(0.5)
    ? { text: `Add the word "${word}" at the end.`, after: [...words, word] }
    : { text: `Insert the word "${word}" before the first word.`, after: [word, ...words] };
}

function moveWord(_random: Random, words: readonly string[]): Edit {
  return { text: 'Move the last word to the front.', after: [...words.slice(-1), ...words.slice(0, -1)] };
}

function doubleWord(random: Random, words: readonly string[]): Edit {
  const position = random.int(1, words.length);
  return {
    text: `Write the word at position ${position} twice in a row, as two words.`,
    after: words.toSpliced(position, 0, words[position - 1] ?? ''),
  };
}
