/** A word stitched together from letters of other words. */
import {
  askForAnswer,
  type Category,
  exactTask,
  firstDraft,
  inventWords,
  type Kind,
  type Level,
} from 'agent-hub/eval-suite';

const wordCounts: Readonly<Record<Level, number>> = {
  1: 6,
  2: 12,
  3: 24,
  4: 40,
  5: 64,
  6: 80,
  7: 96,
  8: 112,
};
const lettersMax = 8;

/** The second letter, from the beginning or from the end. */
function letterOf(word: string, fromEnd: boolean): string {
  return (fromEnd ? word.at(-2) : word.at(1)) ?? '';
}

const stitches: Kind = {
  name: 'stitched-letters',
  make: (random, level) =>
    firstDraft(() => {
      const words = inventWords(random, wordCounts[level], 2);
      const every = Math.max(2, Math.ceil(words.length / lettersMax));
      const fromEnd = random.chance(0.5);
      const stitch = (start: number, end: boolean) =>
        words
          .filter((_, place) => (place + 1) % every === start)
          .map((word) => letterOf(word, end))
          .join('');
      const value = stitch(0, fromEnd);
      const mistakes = [
        stitch(0, !fromEnd),
        stitch(1, fromEnd),
        value.split('').toReversed().join(''),
      ].filter((other) => other !== value);
      if (mistakes.length < 2 || words.includes(value)) return null;
      const order = every === 2 ? 'second' : `${every}th`;
      return exactTask({
        prompt: `${words.join(' ')}\n\nTake every ${every === 3 ? 'third' : order} word of this line, beginning with word number ${every}. Of each one take the second letter${fromEnd ? ' from its end' : ''}, and write these letters together in the order of the words. ${askForAnswer(random, 'the letters, in lower case and without spaces')}`,
        type: 'word',
        value,
        skill: 'letters',
        mistakes,
      });
    }),
};

export const category: Category = {
  name: 'text',
  description: 'Works on a text exactly.',
  kinds: [stitches],
};
