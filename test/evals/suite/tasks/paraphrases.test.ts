import { expect, test } from 'bun:test';
import { bonds, places, quirks, trades } from '#evals/suite/tasks/context/hops.ts';

const functionWords = new Set(
  'a an and at by for from has have in is of on that the to very well when where who whom with'.split(' '),
);

function stems(text: string): string[] {
  const words =
    text
      .replaceAll(/\{.\}/g, '')
      .toLowerCase()
      .match(/[a-z]{2,}/g) ?? [];
  return words
    .filter((word) => !functionWords.has(word))
    .map((word) => word.replace(/(?<=..)(?:ing|ed|er|es|s)$/, ''));
}

test('a question about several hops shares no content word with any fact', () => {
  const all = [...trades, ...quirks, ...bonds, ...places];
  const inTexts = new Set(all.flatMap(({ text }) => text.flatMap(stems)));
  const shared = all.flatMap(({ question }) => stems(question).filter((stem) => inTexts.has(stem)));
  expect(shared).toEqual([]);
  console.log(`word overlap: 0 of ${all.length} paraphrases`);
});
