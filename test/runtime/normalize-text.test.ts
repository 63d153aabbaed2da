/** Normalising a text takes linear time, whatever marks it has. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { searchWordsOf } from '#db/search.ts';
import { findLeak } from '#evals/own-suite/graders/leaks.ts';
import { normalizeText } from '#runtime/normalize-text.ts';
import { timeWork } from '../evals/processor-time.ts';

const forms = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const;

/** Marks whose order normalisation changes, as themselves, in pairs, and as letters that become marks. */
const unsorted = ['\u0301\u0316', '\u0316\u0301', '\u0301\uff9e', '\u0f71\u0f72', '\u{1d165}\u0301'];

test.each(unsorted)('60,000 marks take at most 20 ms: %j', (marks) => {
  const text = `a${marks.repeat(30_000)}`;
  for (const form of forms)
    expect(timeWork(20, 10, () => normalizeText(text, form))).toMatchObject({ fast: true });
  expect(timeWork(40, 10, () => findLeak(text, 'heron-48213'))).toMatchObject({ fast: true });
  expect(timeWork(40, 10, () => searchWordsOf([text]))).toMatchObject({ fast: true });
});

test('a text with at most 29 marks in a row is normalised as by the standard', () => {
  const mark = fc.constantFrom('\u0301', '\u0316', '\u0327', '\uff9e', '\u0f71');
  const letter = fc.tuple(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
    fc.array(mark, { maxLength: 26 }),
  );
  fc.assert(
    fc.property(fc.array(letter, { maxLength: 5 }), fc.constantFrom(...forms), (letters, form) => {
      const text = letters.map(([of, marks]) => `x${of}${marks.join('')}`).join('');
      expect(normalizeText(text, form)).toBe(text.normalize(form));
    }),
    { numRuns: 2_000 },
  );
});

test('every code point that becomes a mark counts as one', () => {
  const missed: string[] = [];
  for (let code = 0x80; code < 0x110000; code += 1) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const character = String.fromCodePoint(code);
    const isCounted = /[\p{M}\uff9e\uff9f]/u.test(character);
    // Thai and Lao vowels become a mark that is never moved, and a letter.
    if (isCounted || code === 0xe33 || code === 0xeb3) continue;
    if (forms.some((form) => /^\p{M}/u.test(character.normalize(form)))) missed.push(code.toString(16));
  }
  expect(missed).toEqual([]);
});
