/** Prompts that must arrive whole and by themselves: at once, in turns, and with many lines. */
import { capital } from '../../safe-text.ts';
import type { CaseDraft, Topic } from '../health-case.ts';
import { goods, logSentence, people, words } from '../words.ts';

const atOnceCount = 8;
const inARowCount = 4;

/**
 * Prompts with the same long opening and a word of their own at the end. Eight are sent at once, then four in a row:
 * whether conversations are mixed, replies are cached by their opening, or calls at once are refused.
 */
export const atOnce: Topic = {
  part: 'delivery',
  name: 'at-once',
  write: (random) => {
    const opening = Array.from({ length: 6 }, () => logSentence(random)).join(' ');
    return random.sample(words, atOnceCount + inARowCount).map((chosen, at) => {
      const own = capital(chosen);
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

const turnCount = 5;

/** Conversations of five turns: whether earlier turns reach the model, and whether it replies to the last one. */
export const turns: Topic = {
  part: 'delivery',
  name: 'turns',
  write: (random) =>
    [1, 2].map((): CaseDraft => {
      const items = random.sample(words, turnCount - 1).map(capital);
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

const lineCount = 400;
const wantedCount = 5;

/** 400 short lines, of which a few are asked for: whether all lines of a prompt arrive, and in their order. */
export const lines: Topic = {
  part: 'delivery',
  name: 'lines',
  write: (random) =>
    [1, 2].map(() => {
      const all = Array.from(
        { length: lineCount },
        (_, at) => `${at + 1} ${random.pick(people)} ${random.pick(goods)}`,
      );
      const step = lineCount / wantedCount;
      const wanted = Array.from({ length: wantedCount }, (_, at) =>
        random.int(at * step + 1, (at + 1) * step),
      );
      const names = wanted.map((number) => all[number - 1]?.split(' ')[1] ?? '');
      const prompt =
        `Each line below has a number, a name and goods.\n${all.join('\n')}\n` +
        `Which names stand in the lines ${wanted.join(', ')}? End your reply with one line: "ANSWER:", then the ` +
        `${wantedCount} names in this order, with commas between them.`;
      return {
        turns: [prompt],
        expect: [{ list: names }],
        accepted: [`ANSWER: ${names.join(', ')}`],
        refused: [`ANSWER: ${names.slice(1).join(', ')}`],
      };
    }),
};
