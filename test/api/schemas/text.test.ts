import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { block, line } from '#api/schemas/text.ts';

const title = Compile(line({ max: 5 }));
const body = Compile(block({ max: 8000 }));
const note = Compile(line({ max: 5, min: 0 }));

describe('a line', () => {
  test.each([
    ['five letters', 'abcde'],
    ['five code points outside the basic plane', '😀😀😀😀😀'],
    ['a family, which is five code points', '👨‍👩‍👧'],
    ['spaces around something visible', ' a '],
    ['a line separator, which is no control character', 'a\u2028b'],
    ['a character of a later Unicode', '\u{1fae9}'],
  ])('may be %s', (_, text) => {
    expect(title.Check(text)).toBe(true);
  });

  test.each([
    ['six letters', 'abcdef'],
    ['six code points', '😀😀😀😀😀a'],
    ['empty', ''],
    ['blank', '  '],
    ['all zero-width', '\u200b\u200d\ufeff'],
    ['of no-break spaces', '\u00a0\u2003\u3000'],
    ['with NUL', 'a\0'],
    ['with a newline', 'a\n'],
    ['with a tab', 'a\tb'],
    ['with DEL', 'a\u007f'],
    ['with a C1 control', 'a\u0085'],
    ['with half of a surrogate pair', 'a\ud83d'],
    ['with the other half', '\ude00a'],
    ['with the halves in the wrong order', '\ude00\ud83d'],
  ])('must not be %s', (_, text) => {
    expect(title.Check(text)).toBe(false);
  });

  test('may be empty or blank where that is said', () => {
    expect(note.Check('')).toBe(true);
    expect(note.Check('   ')).toBe(true);
    expect(note.Check('\n')).toBe(false);
  });
});

describe('a block', () => {
  test('may hold newlines and tabs around something visible', () => {
    expect(body.Check('\n\ta\n\n\tb\n')).toBe(true);
  });

  test.each([
    ['only newlines and tabs', '\n\t \n'],
    ['a carriage return', 'a\r\nb'],
    ['NUL', 'a\0'],
    ['an escape', '\u001b[31m'],
    ['a lone surrogate', 'a\ud800'],
  ])('must not hold %s', (_, text) => {
    expect(body.Check(text)).toBe(false);
  });

  test('counts code points up to its limit', () => {
    expect(body.Check('😀'.repeat(8000))).toBe(true);
    expect(body.Check('😀'.repeat(8001))).toBe(false);
  });
});

test('a block is any text whose every character is fine and at least one is visible', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.oneof(
          fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
          fc.constantFrom('\n', '\t', ' ', 'a', '\ud800', '\u200b'),
        ),
      }),
      (text) => {
        const characters = Array.from(text);
        const fine = characters.every((c) => c === '\n' || c === '\t' || !/[\p{Cc}\p{Cs}]/u.test(c));
        const visible = characters.some((c) => /[^\p{Z}\p{Cf}\p{Cc}\p{Cs}]/u.test(c));
        expect(body.Check(text)).toBe(fine && visible && characters.length <= 8000);
      },
    ),
  );
});

test.each([
  ['blanks with a control character at the end', `${' '.repeat(8000)}\0`],
  ['visible text with a control character at the end', `${'a '.repeat(4000)}\0`],
  ['zero-width characters', '\u200b'.repeat(8000)],
])('a hostile text takes no longer than an honest one: %s', (_, text) => {
  const startedAt = performance.now();
  for (let times = 0; times < 100; times += 1) body.Check(text);
  // Milliseconds are enough; a pattern that tries every way to split the text would take minutes.
  expect(performance.now() - startedAt).toBeLessThan(20_000);
});
