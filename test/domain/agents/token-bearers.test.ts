import * as fc from 'fast-check';
import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { createBearerToken, hashBearerToken, isWellFormedBearerToken } from '#domain/agents/token-bearers.ts';

const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function toBase62(value: bigint, digits: number): string {
  const places = Array.from({ length: digits }, (_, place) => 62n ** BigInt(digits - 1 - place));
  return places.map((weight) => base62Digits[Number((value / weight) % 62n)]).join('');
}

function fromBase62(text: string): bigint {
  return Array.from(text).reduce((value, digit) => value * 62n + BigInt(base62Digits.indexOf(digit)), 0n);
}

/** Builds a token with the given random part and a valid checksum. */
function tokenFor(random: bigint): string {
  const body = `hub_${toBase62(random, 43)}`;
  return body + toBase62(BigInt(crc32(body)), 6);
}

test('tokens are well formed, hold 256 bits and are unique', () => {
  const tokens = Array.from({ length: 5000 }, createBearerToken);
  expect(new Set(tokens).size).toBe(tokens.length);
  let everyBit = 0n;
  for (const token of tokens) {
    expect(token).toMatch(/^hub_[0-9A-Za-z]{49}$/);
    expect(isWellFormedBearerToken(token)).toBe(true);
    const random = fromBase62(token.slice(4, 47));
    expect(token).toBe(tokenFor(random));
    everyBit |= random;
  }
  expect(everyBit).toBe(2n ** 256n - 1n);
});

test('every 256-bit number gives a well-formed token, and the next number does not', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (random) => {
      expect(isWellFormedBearerToken(tokenFor(random))).toBe(true);
    }),
  );
  expect(isWellFormedBearerToken(tokenFor(0n))).toBe(true);
  expect(isWellFormedBearerToken(tokenFor(2n ** 256n - 1n))).toBe(true);
  expect(isWellFormedBearerToken(tokenFor(2n ** 256n))).toBe(false);
  expect(isWellFormedBearerToken(tokenFor(62n ** 43n - 1n))).toBe(false);
});

test('changed, swapped, added and missing characters invalidate any token', () => {
  const change = fc.record({ at: fc.nat(52), character: fc.constantFrom(...Array.from(base62Digits)) });
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), change, (random, { at, character }) => {
      const token = tokenFor(random);
      const [head, here, tail] = [token.slice(0, at), token.charAt(at), token.slice(at + 1)];
      const variants = [head + character + tail, head + tail, head + character + here + tail];
      variants.push(head + tail.charAt(0) + here + tail.slice(1));
      for (const variant of variants) {
        if (variant !== token) expect(isWellFormedBearerToken(variant)).toBe(false);
      }
    }),
    { numRuns: 500 },
  );
});

test('no other text is a valid token', () => {
  const token = createBearerToken();
  for (const text of [
    '',
    'hub_',
    `${token}\n`,
    ` ${token}`,
    `Bearer ${token}`,
    token.toLowerCase(),
    token.replace('hub_', 'HUB_'),
    token.repeat(2),
    'A'.repeat(1_000_000),
  ]) {
    expect(isWellFormedBearerToken(text)).toBe(false);
  }
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !isWellFormedBearerToken(text)));
});

test('the stored hash is the SHA-256 in lower-case hex', () => {
  expect(hashBearerToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  const token = createBearerToken();
  expect(hashBearerToken(token)).toBe(createHash('sha256').update(token, 'utf8').digest('hex'));
});
