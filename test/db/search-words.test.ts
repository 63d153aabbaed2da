/** The words by which texts are searched. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { searchWordsOf } from '#db/search.ts';

test('words are letters and digits, without duplicates, case, accents and typographic variants', () => {
  const cases: [string, string[]][] = [
    ['Hello, hello HELLO-world!', ['hello', 'world']],
    ['Été ﬁne Ａ１ naïve', ['ete', 'fine', 'a1', 'naive']],
    ['agent_hub agent-7 v0.3.0', ['agent', 'hub', '7', 'v0', '3', '0']],
    ['Straße ΣΟΦΟΣ İstanbul', ['straße', 'σοφος', 'istanbul']],
    ['機械学習 и Ёлка', ['機械学習', 'и', 'елка']],
    ['"*\' OR NEAR(a:b)', ['or', 'near', 'a', 'b']],
    ['!?… \t\n', []],
    ['', []],
  ];
  for (const [text, words] of cases) expect([text, searchWordsOf([text])]).toEqual([text, words]);
  expect(searchWordsOf(['one two', 'two three'])).toEqual(['one', 'two', 'three']);
});

test('a very long word is cut between characters', () => {
  expect(searchWordsOf(['𝒳'.repeat(100)])).toEqual(['x'.repeat(64)]);
  expect(searchWordsOf(['𐐨'.repeat(100)])).toEqual(['𐐨'.repeat(64)]);
});

test('splitting words again changes nothing, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const words = searchWordsOf([text]);
      expect(searchWordsOf([words.join(' ')])).toEqual(words);
      for (const word of words) expect(word).toMatch(/^[\p{L}\p{N}]{1,64}$/u);
    }),
    { numRuns: 2_000 },
  );
});
