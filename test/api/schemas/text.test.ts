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
    ['a family emoji of five code points', '👨‍👩‍👧'],
    ['spaces around a visible character', ' a '],
    ['a line separator, which is not a control character', 'a\u2028b'],
    ['a character of a later Unicode version', '\u{1fae9}'],
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
    ['with a lone high surrogate', 'a\ud83d'],
    ['with a lone low surrogate', '\ude00a'],
    ['with a reversed surrogate pair', '\ude00\ud83d'],
  ])('must not be %s', (_, text) => {
    expect(title.Check(text)).toBe(false);
  });

  test('may be empty or blank if the minimum is 0', () => {
    expect(note.Check('')).toBe(true);
    expect(note.Check('   ')).toBe(true);
    expect(note.Check('\n')).toBe(false);
  });
});

describe('a block', () => {
  test('may contain newlines and tabs around a visible character', () => {
    expect(body.Check('\n\ta\n\n\tb\n')).toBe(true);
  });

  test.each([
    ['only newlines and tabs', '\n\t \n'],
    ['a carriage return', 'a\r\nb'],
    ['NUL', 'a\0'],
    ['an escape', '\u001b[31m'],
    ['a lone surrogate', 'a\ud800'],
  ])('must not contain %s', (_, text) => {
    expect(body.Check(text)).toBe(false);
  });

  test('counts code points up to its limit', () => {
    expect(body.Check('😀'.repeat(8000))).toBe(true);
    expect(body.Check('😀'.repeat(8001))).toBe(false);
  });
});

test('a block is any text of allowed characters with at least one visible', () => {
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
])('a hostile text is matched in linear time: %s', (_, text) => {
  const startedAt = performance.now();
  for (let times = 0; times < 100; times += 1) body.Check(text);
  // It takes milliseconds; a backtracking pattern would take minutes.
  expect(performance.now() - startedAt).toBeLessThan(20_000);
});
