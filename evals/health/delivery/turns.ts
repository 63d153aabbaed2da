/** Conversations of five turns: whether earlier turns reach the model, and whether it replies to the last one. */
import type { CaseDraft, Topic } from '../health-case.ts';
import { capitalised, words } from '../words.ts';

const turnCount = 5;

export const turns: Topic = {
  part: 'delivery',
  name: 'turns',
  write: (random) =>
    [1, 2].map((): CaseDraft => {
      const items = random.sample(words, turnCount - 1).map(capitalised);
      const asked = items.map((item, at) =>
        at === 0
          ? `I shall give you ${items.length} words, one a message. The first is ${item}. Reply with that word only.`
          : `The next word is ${item}. Reply with that word only.`,
      );
      const last =
        `Now list all ${items.length} words in the order in which I gave them. End your reply with one line: "ANSWER:", ` +
        `then the words, with commas between them.`;
      return {
        turns: [...asked, last],
        expect: [{ list: items }],
        accepted: [`ANSWER: ${items.join(', ')}`],
        refused: [items.at(-1) ?? '', 'I do not know the words.'],
        sent: { earlier: items },
      };
    }),
};
