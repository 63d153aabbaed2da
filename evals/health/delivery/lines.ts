/** 400 short lines, of which a few are asked for: whether all lines of a prompt arrive, and in their order. */
import type { Topic } from '../health-case.ts';
import { goods, people } from '../words.ts';

const lineCount = 400;
const wantedCount = 5;

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
