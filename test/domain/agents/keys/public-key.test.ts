import { Point } from '@noble/ed25519';
import { base58 } from '@scure/base';
import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { decodeCanonicalBase64, didFromPublicKey, parsePublicKey } from '#domain/agents/keys/public-key.ts';
import { rfc8032Vectors } from './rfc8032-vectors.ts';
import { seededKey } from './seeded-key.ts';

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

test('the public keys of RFC 8032 are accepted and returned unchanged', () => {
  for (const { publicKey } of rfc8032Vectors) {
    const bytes = new Uint8Array(Buffer.from(publicKey, 'hex'));
    expect(parsePublicKey(base64(bytes))).toEqual(bytes);
  }
});

/** The 14 encodings that a lenient decoder reads as a point of small order, in hex: eight canonical, six not. */
const smallOrder = [
  ...['01', '00'].flatMap((first) => ['00', '80'].map((last) => `${first}${'00'.repeat(30)}${last}`)),
  ...['ec', 'ed', 'ee'].flatMap((first) => ['7f', 'ff'].map((last) => `${first}${'ff'.repeat(30)}${last}`)),
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
];

test('all 14 encodings of the points of small order are rejected', () => {
  expect(new Set(smallOrder).size).toBe(14);
  for (const encoding of smallOrder) {
    const bytes = new Uint8Array(Buffer.from(encoding, 'hex'));
    expect(Point.fromBytes(bytes, true).isSmallOrder()).toBe(true);
    expect(parsePublicKey(base64(bytes))).toBeNull();
  }
});

test('a y of p or more is rejected even where the reduced point is a valid key (RFC 8032, 5.1.3)', () => {
  const encode = (first: number, rest: number, last: number) =>
    base64(Uint8Array.of(first, ...new Uint8Array(30).fill(rest), last));
  // 3 is the y of a point; p is 2^255 - 19.
  expect(parsePublicKey(encode(3, 0, 0))).not.toBeNull();
  expect(parsePublicKey(encode(0xed + 3, 0xff, 0x7f))).toBeNull();
  // There is no point whose y is 2.
  expect(parsePublicKey(encode(2, 0, 0))).toBeNull();
});

test('another spelling or length of a valid key is rejected', () => {
  const bytes = Buffer.from(rfc8032Vectors[2].publicKey, 'hex');
  const [text = '', short, long] = [bytes, bytes.subarray(1), Buffer.concat([bytes, Buffer.of(0)])].map(
    base64,
  );
  for (const wrong of [text.replace('=', ''), short, long]) expect(parsePublicKey(wrong!)).toBeNull();
});

test('the key pairs published with the did:key method get their published DIDs', () => {
  // The published key pairs use the seeds 0, 1 and 2, as 32 bytes with the number in the last one.
  for (const [number, did] of [
    'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp',
    'did:key:z6MkjchhfUsD6mmvni8mCdXHw216Xrm9bQe2mBH1P5RDjVJG',
    'did:key:z6MknGc3ocHs3zdPiJbnaaqDi58NGb4pk1Sp9WxWufuXSdxf',
  ].entries()) {
    const { publicKey } = seededKey(Uint8Array.of(...new Uint8Array(31), number));
    expect(didFromPublicKey(publicKey)).toBe(did);
  }
});

test('the key can be decoded from its DID, and every DID starts with z6Mk', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (publicKey) => {
      const did = didFromPublicKey(publicKey);
      expect(did).toMatch(/^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/);
      expect(base58.decode(did.slice('did:key:z'.length)).slice(2)).toEqual(publicKey);
    }),
  );
});

test('a key of the wrong length is rejected', () => {
  for (const length of [0, 31, 33, 64]) {
    expect(() => didFromPublicKey(new Uint8Array(length))).toThrow(RangeError);
  }
});

const base64Alphabet = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');

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
    { numRuns: 500 },
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
