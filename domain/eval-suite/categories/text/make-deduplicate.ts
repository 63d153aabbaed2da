/** Remove repeated words from a list. */
import { answerList } from '../../graders/answer-list.ts';
import { graderSpec } from '../../graders/grader.ts';
import type { CaseDraft, Difficulty } from '../../eval-case.ts';
import { askForAnswer } from '../../language/ask-for-answer.ts';
import { inventWords } from '../../language/invented-word.ts';
import { byDifficulty } from '../../language/spread-difficulties.ts';
import type { Random } from '../../random.ts';

export function makeDeduplicate(random: Random, difficulty: Difficulty): CaseDraft {
  const pool = inventWords(random, byDifficulty(difficulty, 5, 8, 12));
  const repeats = Array.from({ length: byDifficulty(difficulty, 3, 6, 12) }, () => random.pick(pool));
  const ignoreCase = difficulty !== 'easy';
  const words = random
    .shuffle([...pool, ...repeats])
    .map((word) => (ignoreCase && random.chance(0.4) ? word.toUpperCase() : word));
  const keepLast = difficulty === 'hard';
  const kept = keepLast ? firstOfEach(words.toReversed()).toReversed() : firstOfEach(words);
  const rule = [
    `keep only the ${keepLast ? 'last' : 'first'} occurrence of each word and leave the order of what remains unchanged.`,
    ignoreCase
      ? 'Two words are the same if they differ only in upper and lower case; write what you keep as it stands.'
      : '',
  ].join(' ');
  const list = words.join(', ');
  const text = random.pick([
    `Remove the repeated words from this list: ${rule.trim()}\n\n${list}`,
    `From the list below, ${rule.trim()}\n\n${list}`,
  ]);
  return {
    kind: 'deduplicate',
    difficulty,
    prompt: `${text}\n\n${askForAnswer(random, 'the remaining words on one line, separated by commas')}`,
    graders: [graderSpec(answerList, { expected: kept })],
    scoring: 'weighted',
    expected: kept.join(', '),
  };
}

function firstOfEach(words: readonly string[]): string[] {
  const seen = new Set<string>();
  return words.filter((word) => {
    const key = word.toLowerCase();
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
