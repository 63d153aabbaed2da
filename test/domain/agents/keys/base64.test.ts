import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { decodeCanonicalBase64 } from '#domain/agents/keys/public-key.ts';

const base64Alphabet = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');

test('the test vectors of RFC 4648 decode at exactly their own length', () => {
  for (const [plain, encoded] of [
    ['', ''],
    ['f', 'Zg=='],
    ['fo', 'Zm8='],
    ['foo', 'Zm9v'],
    ['foob', 'Zm9vYg=='],
    ['fooba', 'Zm9vYmE='],
    ['foobar', 'Zm9vYmFy'],
  ] as const) {
    for (let length = 0; length <= 9; length += 1) {
      const decoded = decodeCanonicalBase64(encoded, length);
      expect(decoded && new TextDecoder().decode(decoded)).toBe(length === plain.length ? plain : null);
    }
  }
});

test('the canonical text of any bytes decodes to those bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
      expect(decodeCanonicalBase64(Buffer.from(bytes).toString('base64'), bytes.length)).toEqual(bytes);
    }),
  );
});

test('bits in the unused tail of the last character are rejected', () => {
  // 32 bytes fill 42 characters and 4 bits of the next, 64 bytes fill 85 and 2 bits, so the last character
  // has 16 or 4 valid values.
  const accepted = (length: number, head: string, padding: string) =>
    base64Alphabet.filter((last) => decodeCanonicalBase64(head + last + padding, length) !== null);
  expect(accepted(32, 'A'.repeat(42), '=')).toEqual(base64Alphabet.filter((_, value) => value % 4 === 0));
  expect(accepted(64, 'A'.repeat(85), '==')).toEqual(base64Alphabet.filter((_, value) => value % 16 === 0));
});

test('two different texts never decode to the same bytes', () => {
  const stray = fc.oneof(
    fc.constantFrom(...base64Alphabet, '-', '_', '=', ' ', '\n', '\r', '\t', '\0', 'Ａ', 'é', '\ud800'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(32, 64).chain((length) => fc.uint8Array({ minLength: length, maxLength: length })),
      fc.nat(88),
      stray,
      fc.constantFrom(0, 1),
      (bytes, at, character, removed) => {
        const text = Buffer.from(bytes).toString('base64');
        const changed = text.slice(0, at) + character + text.slice(at + removed);
        fc.pre(changed !== text);
        expect(decodeCanonicalBase64(changed, bytes.length)).not.toEqual(bytes);
      },
    ),
    { numRuns: 2000 },
  );
});

test('the URL-safe alphabet, white space, and missing or surplus padding are rejected', () => {
  const text = Buffer.alloc(32, 0xfb).toString('base64');
  expect(text).toContain('+');
  expect(decodeCanonicalBase64(text, 32)).not.toBeNull();
  for (const wrong of [
    text.replaceAll('+', '-').replaceAll('/', '_'),
    text.replace('=', ''),
    `${text}=`,
    `${text}\n`,
    ` ${text}`,
    `${text.slice(0, 20)}\n${text.slice(20)}`,
    `${text.slice(0, 20)} ${text.slice(21)}`,
    `${text.slice(0, 20)}=${text.slice(21)}`,
    `${text.slice(0, 43)}A`,
    '='.repeat(44),
    '',
  ]) {
    expect(decodeCanonicalBase64(wrong, 32)).toBeNull();
  }
});

test('the result is a plain byte array whose slices are copies', () => {
  const decoded = decodeCanonicalBase64(`${'A'.repeat(43)}=`, 32)!;
  decoded.slice(0, 1)[0] = 7;
  expect(decoded[0]).toBe(0);
  expect(Buffer.isBuffer(decoded)).toBe(false);
});
