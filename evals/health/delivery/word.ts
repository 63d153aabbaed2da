/** One word, asked for several times: whether a plain reply comes back as it was said. */
import type { Topic } from '../health-case.ts';
import { capitalised, words } from '../words.ts';

export const word: Topic = {
  part: 'delivery',
  name: 'word',
  write: (random) =>
    random.sample(words, 4).map((chosen) => {
      const asked = capitalised(chosen);
      return {
        turns: [`Reply with this one word and nothing else: ${asked}`],
        expect: [{ equals: asked, ignore: ['punctuation'] }],
        accepted: [asked, `**${asked}**.`],
        refused: [chosen, `Sure! ${asked}`],
        sent: { copied: asked },
      };
    }),
};
