/**
 * Prompts with the same long opening and a word of their own at the end. Eight are sent at once, then four in a row:
 * whether conversations are mixed, replies are cached by their opening, or calls at once are refused.
 */
import type { Topic } from '../health-case.ts';
import { capitalised, logSentence, words } from '../words.ts';

const atOnceCount = 8;
const inARowCount = 4;

export const atOnce: Topic = {
  part: 'delivery',
  name: 'at-once',
  write: (random) => {
    const opening = Array.from({ length: 6 }, () => logSentence(random)).join(' ');
    return random.sample(words, atOnceCount + inARowCount).map((chosen, at) => {
      const own = capitalised(chosen);
      return {
        turns: [`${opening}\nThis log is background only. Reply with this one word and nothing else: ${own}`],
        expect: [{ contains: own }],
        accepted: [own],
        refused: ['', chosen.toUpperCase()],
        sent: { own, group: 'same opening', atOnce: at < atOnceCount },
      };
    });
  },
};
