import { expect, test } from 'bun:test';
import { goods } from '#evals/suite/language/goods.ts';
import { createRandom } from '#evals/random.ts';
import { bonds, hops, places, quirks, trades } from '#evals/suite/tasks/context/hops.ts';

const functionWords = new Set(
  'a after against an and are as at before by do for from has have his in into is it its like of off on one or out over that the their to two under up very well what when where who whom with'.split(
    ' ',
  ),
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

test('a question about several hops shares no content word with the facts that it needs', () => {
  const all = [...trades, ...quirks, ...bonds, ...places];
  const shared = all.flatMap(({ question, text }) => {
    const asked = stems(question);
    return text.filter((said) => stems(said).some((stem) => asked.includes(stem)));
  });
  expect(shared).toEqual([]);
  console.log(`word overlap: 0 of ${all.length} paraphrases`);
});

test('no two facts of a chronicle have a wording in common, and all have their places', () => {
  const texts = [...trades, ...quirks, ...bonds, ...places].flatMap(({ text }) => text);
  expect(new Set(texts).size).toBe(texts.length);
  expect(texts.filter((text) => /\d/.test(text))).toEqual([]);
  for (const { question, text } of [...trades, ...quirks]) {
    expect({ question, few: text.length < 8 }).toEqual({ question, few: false });
    expect(text.filter((said) => said.includes('{'))).toEqual([]);
  }
  for (const { question, text } of [...bonds, ...places]) {
    expect({ question, few: text.length < 9 }).toEqual({ question, few: false });
    const isWhole = (said: string) => said.split('{a}').length === 2 && said.split('{b}').length === 2;
    expect(text.filter((said) => !isWhole(said) || !said.endsWith('.'))).toEqual([]);
  }
});

test('the phrases for goods are all different, and two for the same goods share no content word', () => {
  const phrases = goods.flatMap((one) => one.phrases);
  expect(new Set(phrases).size).toBe(phrases.length);
  expect(goods.length).toBeGreaterThanOrEqual(880);
  expect(new Set(goods.map(({ name }) => name)).size).toBe(goods.length);
  for (const { name, phrases: own } of goods) {
    expect(own.length).toBeGreaterThanOrEqual(5);
    const all = [name, ...own].flatMap((phrase) => [...new Set(stems(phrase))]);
    expect({ name, twice: all.filter((stem, at) => all.indexOf(stem) !== at) }).toEqual({ name, twice: [] });
  }
});

test('a chronicle of few people is drawn again until somebody is the only one with a trade and a quirk', () => {
  // With three of these seeds, the first people of level 1 share all combinations.
  for (let seed = 0; seed < 200; seed += 1) {
    const { expected } = hops.make(createRandom(`m${seed}`, 'hops/1'), 1, { maxPromptTokens: 8_000 });
    expect(expected).toMatch(/^\p{Lu}\p{Ll}+$/u);
  }
});
