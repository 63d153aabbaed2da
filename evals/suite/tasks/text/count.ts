/**
 * Counting in a text: words of equal frequency, several words at once, letters of selected words, the n-th of a kind.
 */
import { type ExactTask, exactTask } from '../../exact-task.ts';
import type { Level } from '../../ladder/ladder.ts';
import { askForAnswer } from '../../language/ask-for-answer.ts';
import { firstDraft } from '../../language/draft.ts';
import { isProper } from '../../language/invented-word.ts';
import type { Random } from '../../../random.ts';
import type { Kind } from '../../task.ts';
import { drawProperty, inventVocabulary, wordCounts } from './words.ts';

/** The question about a text, without the text. */
type Question = Omit<ExactTask, 'prompt'> & { readonly question: string };

type Ask = (random: Random, level: Level, words: readonly string[]) => Question | null;

const asks: readonly Ask[] = [askFrequency, askSeveral, askLetters, askNth];

export const countKind: Kind = {
  name: 'count',
  make(random, level) {
    const ask = random.pick(asks);
    return firstDraft(() => {
      const words = drawWords(random, wordCounts[level]);
      const asked = ask(random, level, words);
      if (asked === null) return null;
      const { question, ...task } = asked;
      const text = breakLines(random, words);
      const opening = random.pick(['Read this text closely.', 'Count in this text.', 'A text:']);
      return exactTask({
        ...task,
        prompt: random.pick([`${opening}\n\n${text}\n\n${question}`, `${question} The text:\n\n${text}`]),
      });
    });
  },
};

/** Words with repetitions, some of which differ in only one letter. */
function drawWords(random: Random, count: number): string[] {
  const vocabulary = inventVocabulary(random, Math.max(8, Math.round(count / 5)));
  const twins = vocabulary
    .slice(0, Math.ceil(vocabulary.length / 5))
    .map((word) => word.slice(0, -1) + random.pick('aeiou'.split('').filter((end) => !word.endsWith(end))))
    .filter(isProper);
  const all = [...new Set([...vocabulary, ...twins])];
  return Array.from({ length: count }, () => random.pick(all));
}

function breakLines(random: Random, words: readonly string[]): string {
  const width = random.int(7, 12);
  const lines = Array.from({ length: Math.ceil(words.length / width) }, (_, at) =>
    words.slice(at * width, (at + 1) * width).join(' '),
  );
  return random.chance(0.5) ? lines.join('\n') : words.join(' ');
}

/** How often each word occurs, in the order of first occurrence. */
function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function askFrequency(random: Random, _level: Level, words: readonly string[]): Question | null {
  const counts = [...countWords(words)];
  const having = (wanted: number) => counts.filter(([, found]) => found === wanted).map(([word]) => word);
  const possible = Array.from({ length: 24 }, (_, at) => at + 2).filter((times) => {
    const { length } = having(times);
    return length >= 2 && length <= 7;
  });
  if (possible.length === 0) return null;
  const times = random.pick(possible);
  const value = having(times);
  return {
    question: `Which words occur exactly ${times} times? ${askForAnswer(random, 'all of them, separated by commas')}`,
    type: 'set',
    value,
    skill: 'counting-words',
    mistakes: [having(times - 1), having(times + 1), value.slice(1), [...value, ...having(1).slice(0, 1)]],
  };
}

const askedWords = 4;

function askSeveral(random: Random, _level: Level, words: readonly string[]): Question | null {
  const counts = countWords(words);
  const known = [...counts.keys()].filter((word) => (counts.get(word) ?? 0) > 1);
  if (known.length < askedWords) return null;
  const asked = random.sample(known, askedWords);
  const value = asked.map((word) => String(counts.get(word)));
  // Four equal numbers would be the obvious guess without counting.
  if (new Set(value).size < 2) return null;
  const shift = (at: number, by: number) =>
    value.map((found, place) => (place === at ? String(Number(found) + by) : found));
  return {
    question: `How often do these words occur: ${asked.join(', ')}? ${askForAnswer(random, 'the four numbers in this order, separated by commas')}`,
    type: 'list',
    value,
    skill: 'counting-words',
    mistakes: [shift(0, 1), shift(1, -1), shift(3, 1), value.toReversed(), value.slice(1)],
  };
}

function askLetters(random: Random, _level: Level, words: readonly string[]): Question | null {
  const { text, holds } = drawProperty(random);
  const chosen = words.filter(holds);
  const value = countLetters(chosen);
  if (chosen.length < 5 || chosen.length > words.length - 4) return null;
  return {
    question: `Take all words that ${text}, as often as they occur. How many letters do they have in total? ${askForAnswer(random, 'the whole number in plain digits')}`,
    type: 'number',
    value: String(value),
    reading: { units: ['letters'] },
    skill: 'counting-letters',
    mistakes: [
      countLetters([...new Set(chosen)]),
      countLetters(words),
      countLetters(words) - value,
      chosen.length,
      value + 1,
    ].map(String),
  };
}

function countLetters(words: readonly string[]): number {
  return words.join('').length;
}

function askNth(random: Random, level: Level, words: readonly string[]): Question | null {
  const { text, holds } = drawProperty(random);
  const chosen = words.filter(holds);
  const least = Math.min(4, level + 2);
  if (chosen.length < least + 3 || chosen.length > words.length - 4) return null;
  const place = random.int(Math.max(least, Math.floor(chosen.length / 2)), chosen.length - 1);
  const value = chosen[place - 1] ?? '';
  const beside = [chosen[place - 2], chosen[place], words[place - 1]];
  if (beside.includes(value)) return null;
  return {
    question: `Go through the text from its beginning and look only at the words that ${text}, as often as they occur. Which word is number ${place} of them? ${askForAnswer(random, 'that word')}`,
    type: 'word',
    value,
    skill: 'counting-words',
    mistakes: beside.filter((word) => word !== undefined),
  };
}
