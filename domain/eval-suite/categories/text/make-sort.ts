/** Sort a list of invented words by a rule that leaves no ties. */
import { answerList } from '../../graders/answer-list.ts';
import { graderSpec } from '../../graders/grader.ts';
import type { CaseDraft, Difficulty } from '../../eval-case.ts';
import { askForAnswer } from '../../language/ask-for-answer.ts';
import { inventWords } from '../../language/invented-word.ts';
import { byDifficulty } from '../../language/spread-difficulties.ts';
import type { Random } from '../../random.ts';

interface Rule {
  readonly text: string;
  readonly compare: (left: string, right: string) => number;
}

const alphabetical = (left: string, right: string): number => (left < right ? -1 : Number(left > right));
const lastLetter = (word: string): string => word.slice(-1);

const rules: readonly Rule[] = [
  { text: 'alphabetically, from a to z', compare: alphabetical },
  { text: 'alphabetically, but from z to a', compare: (left, right) => alphabetical(right, left) },
  {
    text: 'by number of letters, shortest first; words of equal length from a to z',
    compare: (left, right) => left.length - right.length || alphabetical(left, right),
  },
  {
    text: 'by number of letters, longest first; words of equal length from a to z',
    compare: (left, right) => right.length - left.length || alphabetical(left, right),
  },
  {
    text: 'by their last letter, from a to z; words with the same last letter by the whole word, from a to z',
    compare: (left, right) => alphabetical(lastLetter(left), lastLetter(right)) || alphabetical(left, right),
  },
];

export function makeSort(random: Random, difficulty: Difficulty): CaseDraft {
  const words = inventWords(random, byDifficulty(difficulty, 6, 9, 14));
  const rule = difficulty === 'easy' ? random.pick(rules.slice(0, 2)) : random.pick(rules);
  const sorted = words.toSorted(rule.compare);
  const list = words.join(', ');
  const text = random.pick([
    `Sort these words ${rule.text}: ${list}.`,
    `Here is a list of words: ${list}. Put them in order ${rule.text}.`,
    `Order the following words ${rule.text}.\n\n${words.join('\n')}`,
  ]);
  const ask = askForAnswer(random, 'the sorted words on one line, separated by commas');
  return {
    kind: 'sort',
    difficulty,
    prompt: `${text}\n\n${ask}`,
    graders: [graderSpec(answerList, { expected: sorted })],
    scoring: 'weighted',
    expected: sorted.join(', '),
  };
}
